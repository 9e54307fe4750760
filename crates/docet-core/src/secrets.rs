//! Texts that look like keys, tokens or passwords: a list to be read.
//!
//! A lesson may speak of a secret ("never commit a key that begins with sk-"); what it must not do is hold one. So a
//! prefix alone is never enough: what follows must be as long, and made of the same characters, as the real thing, and
//! where the prefix is an ordinary word it must look random too.

/// A kind of secret.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it is, with its article: "a GitHub token".
    pub name: &'static str,
    /// What such a secret begins with; empty where it is known by its shape alone.
    pub prefix: &'static str,
    /// The fewest characters that follow the prefix.
    least: usize,
    alphabet: Alphabet,
    looks: Looks,
}

/// What a secret is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alphabet {
    Capitals,
    Hexadecimal,
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Base64Url,
    /// The same, and dots between parts.
    Dotted,
}

/// What is asked of a secret's characters beside its alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// Nothing, but that it is more than a row of `x`.
    Any,
    /// Letters and digits that no word has, for prefixes that stand before words as well.
    Random,
}

use Alphabet::{Alphanumeric, Base64Url, Capitals, Dotted, Hexadecimal};
use Looks::{Any, Random};

const fn kind(name: &'static str, prefix: &'static str, least: usize, alphabet: Alphabet, looks: Looks) -> Kind {
    Kind { name, prefix, least, alphabet, looks }
}

/// Keys and tokens that are known by how they begin; of two prefixes the longer stands first.
#[rustfmt::skip]
const PREFIXED: &[Kind] = &[
    kind("an AWS access key",             "AKIA",           16, Capitals,     Any),
    kind("a temporary AWS access key",    "ASIA",           16, Capitals,     Any),
    kind("an Anthropic key",              "sk-ant-",        20, Base64Url,    Any),
    kind("an OpenAI key",                 "sk-proj-",       20, Base64Url,    Random),
    kind("an OpenAI key",                 "sk-svcacct-",    20, Base64Url,    Random),
    kind("an OpenAI key",                 "sk-admin-",      20, Base64Url,    Random),
    kind("an OpenRouter key",             "sk-or-v1-",      32, Hexadecimal,  Any),
    kind("an OpenAI key",                 "sk-",            20, Alphanumeric, Random),
    kind("a Groq key",                    "gsk_",           32, Alphanumeric, Random),
    kind("an xAI key",                    "xai-",           32, Alphanumeric, Random),
    kind("a Perplexity key",              "pplx-",          32, Alphanumeric, Random),
    kind("a Hugging Face token",          "hf_",            30, Alphanumeric, Random),
    kind("a Replicate token",             "r8_",            32, Alphanumeric, Random),
    kind("a GitHub token",                "github_pat_",    40, Base64Url,    Any),
    kind("a GitHub token",                "ghp_",           36, Alphanumeric, Any),
    kind("a GitHub token",                "gho_",           36, Alphanumeric, Any),
    kind("a GitHub token",                "ghu_",           36, Alphanumeric, Any),
    kind("a GitHub token",                "ghs_",           36, Alphanumeric, Any),
    kind("a GitHub token",                "ghr_",           36, Alphanumeric, Any),
    kind("a GitLab token",                "glpat-",         20, Dotted,       Any),
    kind("a Slack token",                 "xoxb-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxp-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxa-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxr-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxs-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxe-",          20, Base64Url,    Any),
    kind("a Slack token",                 "xoxe.xox",       20, Dotted,       Any),
    kind("a Slack token",                 "xapp-",          20, Base64Url,    Random),
    kind("a Google API key",              "AIza",           35, Base64Url,    Any),
    kind("a Google access token",         "ya29.",          20, Dotted,       Any),
    kind("a Google client secret",        "GOCSPX-",        24, Base64Url,    Any),
    kind("a Stripe key",                  "sk_live_",       16, Alphanumeric, Any),
    kind("a Stripe key",                  "rk_live_",       16, Alphanumeric, Any),
    kind("a Stripe key",                  "sk_test_",       16, Alphanumeric, Random),
    kind("a Stripe key",                  "rk_test_",       16, Alphanumeric, Random),
    kind("a Stripe webhook's secret",     "whsec_",         24, Alphanumeric, Random),
    kind("an npm token",                  "npm_",           36, Alphanumeric, Any),
    kind("a PyPI token",                  "pypi-",          50, Base64Url,    Random),
    kind("a RubyGems key",                "rubygems_",      32, Hexadecimal,  Any),
    kind("a Docker token",                "dckr_pat_",      20, Base64Url,    Any),
    kind("a SendGrid key",                "SG.",            40, Dotted,       Random),
    kind("a Twilio key",                  "SK",             32, Hexadecimal,  Random),
    kind("a Mailgun key",                 "key-",           32, Hexadecimal,  Random),
    kind("a Shopify token",               "shpat_",         32, Hexadecimal,  Any),
    kind("a Shopify secret",              "shpss_",         32, Hexadecimal,  Any),
    kind("a DigitalOcean token",          "dop_v1_",        40, Hexadecimal,  Any),
    kind("a Databricks token",            "dapi",           32, Hexadecimal,  Any),
    kind("a Vault token",                 "hvs.",           24, Base64Url,    Random),
    kind("a Grafana token",               "glsa_",          32, Base64Url,    Random),
    kind("a New Relic key",               "NRAK-",          24, Alphanumeric, Any),
    kind("a Linear key",                  "lin_api_",       32, Alphanumeric, Any),
    kind("a Notion token",                "ntn_",           32, Alphanumeric, Random),
    kind("a Figma token",                 "figd_",          32, Base64Url,    Random),
    kind("a Postman key",                 "PMAK-",          32, Base64Url,    Any),
    kind("an Atlassian token",            "ATATT3",         40, Base64Url,    Any),
    kind("an age key",                    "AGE-SECRET-KEY-1", 40, Capitals,   Any),
];

const JSON_WEB_TOKEN: Kind = kind("a JSON web token", "eyJ", 8, Base64Url, Any);
const PRIVATE_KEY: Kind = kind("a private key", "-----BEGIN", 12, Alphanumeric, Random);
const ADDRESS: Kind = kind("an address with a password", "", 6, Dotted, Any);
const ASSIGNMENT: Kind = kind("a password or a token with its value", "", LEAST_VALUE, Dotted, Random);

/// What comes before the value of a password or a token, in lower case.
const NAMES_OF_SECRETS: [&str; 21] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "api-key",
    "api key",
    "apikey",
    "access_key",
    "access-key",
    "access key",
    "accesskey",
    "secret_key",
    "secretkey",
    "account_key",
    "accountkey",
    "private_key",
    "privatekey",
    "authorization",
];

/// What may stand between a secret's name and its value, the longer first; white space around it or not.
const ASSIGNS: [&str; 6] = [":=", "=>", "==", "=", ":", "is "];

/// What stands in an address in place of a password.
const PLACEHOLDERS: [&str; 9] =
    ["password", "passwd", "pass", "pwd", "secret", "token", "api_key", "your_password", "your-password"];

/// The fewest characters of a value that is random by its looks alone.
const LEAST_VALUE: usize = 12;

/// The first kind of secret that `text` seems to hold.
///
/// ```
/// use docet_core::secrets::find;
/// let key = format!("{}{}", "ghp_", "R2d2C3po".repeat(5));
/// assert_eq!(find(&format!("Push with {key}")).unwrap().name, "a GitHub token");
/// assert_eq!(find("Never commit a key that begins with ghp_ or sk-"), None);
/// ```
pub fn find(text: &str) -> Option<&'static Kind> {
    let prefixed = PREFIXED.iter().find(|kind| kind.stands_in(text));
    prefixed
        .or_else(|| holds_web_token(text).then_some(&JSON_WEB_TOKEN))
        .or_else(|| holds_private_key(text).then_some(&PRIVATE_KEY))
        .or_else(|| holds_password_in_address(text).then_some(&ADDRESS))
        .or_else(|| holds_assignment(text).then_some(&ASSIGNMENT))
}

impl Kind {
    fn stands_in(&self, text: &str) -> bool {
        after_each(text, self.prefix).any(|rest| {
            let body = run(rest, |c| self.alphabet.has(c));
            body.len() >= self.least && !is_row(body) && (self.looks == Any || is_random(body))
        })
    }
}

impl Alphabet {
    fn has(self, character: char) -> bool {
        match self {
            Capitals => character.is_ascii_uppercase() || character.is_ascii_digit(),
            Hexadecimal => character.is_ascii_hexdigit(),
            Alphanumeric => character.is_ascii_alphanumeric(),
            Base64Url => character.is_ascii_alphanumeric() || matches!(character, '-' | '_'),
            Dotted => character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'),
        }
    }
}

/// What follows each `prefix` that is no part of a longer word.
fn after_each<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(char::is_alphanumeric))
        .map(move |(at, _)| &text[at + prefix.len()..])
}

/// The start of `text` whose characters `belong`.
fn run(text: &str, belong: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belong(c)).unwrap_or(text.len())]
}

/// Three parts of which the first begins as each JSON object does in base64.
fn holds_web_token(text: &str) -> bool {
    after_each(text, JSON_WEB_TOKEN.prefix).any(|rest| {
        let parts: Vec<&str> = run(rest, |c| Dotted.has(c)).split('.').take(3).collect();
        parts.len() == 3 && parts.iter().all(|part| part.len() >= JSON_WEB_TOKEN.least)
    })
}

/// A private key's first line with some of the key behind it.
fn holds_private_key(text: &str) -> bool {
    after_each(text, PRIVATE_KEY.prefix).filter_map(|rest| rest.split_once("PRIVATE KEY-----")).any(|(_, key)| {
        let is_key = |word: &str| word.len() >= PRIVATE_KEY.least && mixes_cases(word);
        key.split_whitespace().next().is_some_and(is_key)
    })
}

/// `scheme://user:password@host`, where the password is no word that stands for one.
fn holds_password_in_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, mark)| {
        let authority = run(&text[at + mark.len()..], |c| !c.is_whitespace() && !"/?#\"'`<>".contains(c));
        let password = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, word)| word);
        password.is_some_and(|word| {
            let stands_for_one = PLACEHOLDERS.contains(&word.to_lowercase().as_str()) || is_row(word);
            let is_filled_in_later = word.contains(['$', '{', '[', '(', '*']);
            word.len() >= ADDRESS.least && !stands_for_one && !is_filled_in_later && !is_lowercase_word(word)
        })
    })
}

/// `password=…`, `token: …`, `--token …`, `Bearer …` with a value that is long and random.
fn holds_assignment(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let named = NAMES_OF_SECRETS.iter().flat_map(|name| {
        let ends = lower.match_indices(name).map(|(at, name)| at + name.len());
        ends.filter_map(|end| value_of(&text[end..]))
    });
    let borne = lower.match_indices("bearer ").map(|(at, word)| &text[at + word.len()..]);
    let flagged = ["--password ", "--token ", "--api-key ", "--secret "]
        .into_iter()
        .flat_map(|flag| lower.match_indices(flag).map(|(at, flag)| &text[at + flag.len()..]).collect::<Vec<_>>());
    named.chain(borne).chain(flagged).any(is_value)
}

/// What stands behind the sign of assignment that `rest` begins with.
fn value_of(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(['"', '\'', '`', '*']).trim_start();
    let value = ASSIGNS.iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some(value.trim_start())
}

/// Whether `rest` begins with a value itself, not with the name or the call that gives it.
fn is_value(rest: &str) -> bool {
    let quoted = rest.trim_start_matches(['"', '\'', '`', '*']);
    let value = run(quoted, |c| c.is_ascii_graphic() && !"\"'`,;()[]{}<>|\\".contains(c));
    let is_called = quoted[value.len()..].starts_with(['(', '[', '{', '<']);
    let is_taken_from_elsewhere = value.starts_with(['$', '%', '/', '.', '~', '@']) || value.contains("://");
    value.len() >= LEAST_VALUE && !is_called && !is_taken_from_elsewhere && is_random(value)
}

/// Small letters, capitals and digits that follow each other far more often than in names, versions and dates: at one
/// place in four. A capital before a small letter, which begins a word, does not count, nor do the ends of words.
fn is_random(text: &str) -> bool {
    let classes: Vec<Class> = text.chars().map(Class::of).collect();
    let changes = classes.windows(2).filter(|pair| {
        pair[0] != pair[1] && !pair.contains(&Class::Between) && pair != &[Class::Capital, Class::Small]
    });
    let digits = classes.iter().filter(|class| **class == Class::Digit).count();
    digits > 0 && changes.count() * 4 >= classes.len()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Small,
    Capital,
    Digit,
    /// What stands between words, in names and dates.
    Between,
    Other,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' => Self::Small,
            'A'..='Z' => Self::Capital,
            '0'..='9' => Self::Digit,
            '.' | '_' | '-' | '/' | ':' => Self::Between,
            _ => Self::Other,
        }
    }
}

/// `xxxx…`, `XXXX…`, `0000…`, `****…`: what people write in place of a secret.
fn is_row(text: &str) -> bool {
    text.chars().all(|c| matches!(c, 'x' | 'X' | '0' | '*' | '.' | '_' | '-'))
}

fn is_lowercase_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_'))
}

fn mixes_cases(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_uppercase()) && text.contains(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `length` characters of `alphabet`, as if by chance. Put together here, so that no scanner takes this file for a
    /// place where secrets are kept.
    fn random(alphabet: &str, length: usize, seed: u64) -> String {
        let alphabet = alphabet.as_bytes();
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(alphabet[usize::try_from(state >> 33).unwrap() % alphabet.len()])
        };
        (0..length).map(|_| next()).collect()
    }

    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const HEX: &str = "0123456789abcdef";
    const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    fn found(text: &str) -> Option<&'static str> {
        find(text).map(|kind| kind.name)
    }

    #[test]
    fn each_kind_is_found_wherever_it_stands() {
        for kind in PREFIXED {
            let alphabet = match kind.alphabet {
                Capitals => CAPITALS,
                Hexadecimal => HEX,
                _ => LETTERS,
            };
            // What has to look random may fail to by chance: less than one in a hundred of those in use.
            let (length, missed) = if kind.looks == Random { (kind.least.max(32), 2) } else { (kind.least, 0) };
            let secrets = (0..200).map(|seed| format!("{}{}", kind.prefix, random(alphabet, length, seed)));
            let is_missed = |secret: &String| {
                let texts = [
                    secret.clone(),
                    format!("Deploy with {secret}."),
                    format!("KEY=\"{secret}\""),
                    format!("https://host/?key={secret}&page=2"),
                ];
                texts.iter().any(|text| find(text).is_none())
            };
            assert!(secrets.filter(is_missed).count() <= missed, "{kind:?}");
        }
    }

    #[test]
    fn shapes_without_a_prefix_are_found() {
        let part = |length| random(LETTERS, length, 7);
        let (dashes, begin) = ("-----", "BEGIN");
        let table = [
            (format!("{}{}.{}{}.{}", "eyJ", part(17), "eyJ", part(30), part(43)), "a JSON web token"),
            (format!("{dashes}{begin} PRIVATE KEY{dashes} {}", part(64)), "a private key"),
            (format!("{dashes}{begin} RSA PRIVATE KEY{dashes} MII{}", part(12)), "a private key"),
            (format!("postgres://app:{}@db/prod", part(12)), "an address with a password"),
            (format!("redis://:{}@localhost:6379", part(20)), "an address with a password"),
            (format!("https://me:{}@host", ["hun", "ter2"].concat()), "an address with a password"),
        ];
        for (text, name) in &table {
            assert_eq!(found(text), Some(*name), "{name}");
        }
        let missed = (0..200).filter(|seed| {
            let (long, hex) = (random(LETTERS, 32, *seed), random(HEX, 40, *seed));
            let texts = [
                format!("password={long}"),
                format!("The staging password is {long}"),
                format!("export AWS_SECRET_ACCESS_KEY={long}/{}+", part(7)),
                format!("Send Authorization: Bearer {long}"),
                format!("{{\"token\": \"{hex}\"}}"),
                format!("token: {hex}"),
                format!("api_key => '{hex}'"),
                format!("run it with --token {long}"),
                format!("//registry/:_authToken={long}"),
            ];
            texts.iter().any(|text| found(text) != Some(ASSIGNMENT.name))
        });
        assert!(missed.count() <= 4);
    }

    #[test]
    fn lessons_about_secrets_are_none() {
        for lesson in [
            "Never commit a key that begins with sk-",
            "Keys such as sk-, ghp_, AKIA, glpat-, xoxb-, AIza and eyJ must not reach the log.",
            "Set the password= field before submit",
            "Set password=password in the example only",
            "Replace ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx by a token of your own.",
            "Write AKIAXXXXXXXXXXXXXXXX in documentation.",
            "Use token: ${{ secrets.GITHUB_TOKEN_2 }} in workflows",
            "Read token = os.environ[\"API_TOKEN_V2\"] at the start",
            "Set password: process.env.DB_PASSWORD_2024, never a literal",
            "password = config.get_secret_value_v2(\"db\")",
            "api_key=$OPENAI_API_KEY_2 works in every shell",
            "Say token: github.event.inputs.release_token_v2 there",
            "The token is 2024-01-15T10:00:00Z plus an hour",
            "Connect with postgres://user:password@host/db",
            "Connect with postgres://user:$PASSWORD@host/db or https://user:<password>@host",
            "Clone ssh://git@example.com:22/repo.git, not https://example.com:8080/repo@v2",
            "Grep for -----BEGIN PRIVATE KEY----- before you push",
            "The class sk-loading-spinner-container-wrapper-2 styles it",
            "task-3f2504e04f8911d39a0c0305e82c3301 is an id, and disk-a1b2c3d4e5f6a7b8c9d0 a name",
            "Commit 3f2504e04f8911d39a0c0305e82c3301aabbccdd broke it",
            "A JWT has three parts: eyJ..., eyJ... and a signature",
            "Authorization: Bearer YOUR_ACCESS_TOKEN goes into the header",
            "The secret is validatePasswordBeforeSubmit and it works",
            "npm_config_registry and npm_package_version_number_is_set_by_the_client are variables",
            "hf_transformers_download_cache_directory_is_shared_by_all",
            "An Authorization: header is needed for each of the three",
        ] {
            assert_eq!(found(lesson), None, "{lesson}");
        }
    }
}
