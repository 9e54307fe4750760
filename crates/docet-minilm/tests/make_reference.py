#!/usr/bin/env python3
"""Write the files that the encoder's tests compare with.

    make_reference.py FOLDER

FOLDER holds model.safetensors and tokenizer.json of all-MiniLM-L6-v2. Beside this script are written:

reference.jsonl  our own texts with their tokens and embeddings. The embeddings are the model's forward pass in double
                 precision, written out below after BERT's definition and independent of the crate's.
tokens.jsonl     strings made at random from awkward parts, with the numbers of their tokens, from the tokenizers
                 library set up as sentence-transformers sets it up: at most 256, no padding.
characters.txt   for every 256 code points one line: the FNV-1a hash over the tokens of `aCb C`, C each of them.

Needs: numpy, safetensors, tokenizers.
"""
import json
import math
import random
import sys
from pathlib import Path

import numpy
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HERE = Path(__file__).parent
LIMIT, LAYERS, HEADS, WIDTH, EPSILON = 256, 6, 12, 384, 1e-12

TEXTS = [
    "",
    " \t\n ",
    "a",
    ".",
    "Run the failing test before you change the code.",
    "Read the whole error message, not only its first line.",
    "When a selector matches nothing, take a fresh snapshot of the page before you try another one.",
    "Never retry a payment call without an idempotency key.",
    "Quote paths that may hold spaces; `rm -rf $DIR/*` with an empty DIR is a catastrophe.",
    "Use `git stash` before switching branches, and name the stash.",
    "PREFER SMALL COMMITS; prefer small commits; Prefer Small Commits",
    "camelCase snake_case kebab-case SCREAMING_SNAKE_CASE std::collections::HashMap<K, V>",
    "Vérifiez l'encodage du fichier — naïve façade, Ångström, Ünïcödé, İstanbul, ﬁne ligatures.",
    "在修改代码之前先运行失败的测试。",
    "コードを変更する前に、失敗したテストを実行してください。",
    "코드를 바꾸기 전에 실패한 테스트를 먼저 실행하세요.",
    "Прочитай сообщение об ошибке целиком, прежде чем что-то менять.",
    "اقرأ رسالة الخطأ كاملة قبل تعديل الشيفرة.",
    "שמור תמיד גיבוי לפני מחיקה.",
    "कोड बदलने से पहले विफल परीक्षण चलाएँ।",
    "Ship it 🚀🚀, but test first 🧪👩‍💻 (✅ ≠ done) → ∑ x² ≤ ½",
    "[CLS] spelt out, [SEP] as well, and [MASK], [PAD], [UNK], [ CLS ], [cls], [[SEP]]",
    "zero\u200bwidth soft\u00adhyphen bell\u0007 nul\u0000 replacement\ufffd bidi\u202eoverride",
    "combining e\u0301 o\u0308 n\u0303, zalgo t\u0300\u0316\u0301e\u0317\u0302s\u0318t",
    "x" * 100,
    "x" * 101,
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis qzxvkjwq",
    "3.14159265358979 0xDEADBEEF 2026-12-01T16:05:00Z 192.168.0.1 v1.2.3-rc.4",
    "word " * 253,
    "word " * 254,
    "word " * 255,
    "Before you call the tool, check its arguments against the schema, and afterwards check its result. " * 40,
]

PARTS = [
    "the", "Test", "RUN", "unbelievably", "tokenizers", "qzxv", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\u2028", "\u0085",
    ".", ",", "!?", "[", "]", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[CL", "S]", "##", "##ing", "_", "-", "'", "“", "…",
    "中", "文字", "かな", "한국", "é", "e\u0301", "Å", "İ", "ß", "ﬁ", "Σς", "\u0301", "\u200b", "\u200d", "\ufe0f", "\ufffd", "\u0000",
    "\u0007", "🚀", "👩‍💻", "½", "²", "\u0345", "\u0f71\u0f74", "\u302e", "\U0001d165", "1234567890", "a" * 60, "я" * 51, "़", "क्ष",
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LIMIT)
    weights = {name: tensor.astype(numpy.float64) for name, tensor in load_file(folder / "model.safetensors").items()}
    write("reference.jsonl", (json.dumps(reference(weights, tokenizer, text)) for text in TEXTS))
    write("tokens.jsonl", (json.dumps(tokens(tokenizer, text)) for text in strings()))
    write("characters.txt", (characters(tokenizer, 256 * block) for block in range(0x110000 // 256)))


def write(name, lines):
    (HERE / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def reference(weights, tokenizer, text):
    ids = tokenizer.encode(text).ids
    embedding = [round(value, 9) for value in Forward(weights).embedding(ids).tolist()]
    return {"text": text, "tokens": len(ids), "embedding": embedding}


def strings():
    chooser = random.Random(8)
    for length in (*range(1, 20), *(30, 60, 120, 240, 480, 960)) * 8:
        yield "".join(chooser.choice(PARTS) + chooser.choice(["", "", " "]) for _ in range(length))


def tokens(tokenizer, text):
    encoding = tokenizer.encode(text)
    return {"text": text, "ids": encoding.ids, "truncated": bool(encoding.overflowing)}


def characters(tokenizer, start):
    letters = [chr(code) for code in range(start, start + 256) if not 0xD800 <= code < 0xE000]
    fingerprint = 0xCBF29CE484222325
    for encoding in tokenizer.encode_batch([f"a{letter}b {letter}" for letter in letters]):
        for number in encoding.ids:
            fingerprint = (fingerprint ^ number) * 0x100000001B3 % 2**64
    return f"{fingerprint:016x}"


class Forward:
    """BERT for one text, one line of the definition after the other."""

    def __init__(self, weights):
        self.weights = weights

    def embedding(self, ids):
        w = self.weights
        states = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
        states = self.norm(states + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            states = self.layer(states, f"encoder.layer.{layer}")
        mean = states.mean(axis=0)
        return mean / numpy.linalg.norm(mean)

    def layer(self, states, name):
        attended = self.linear(self.attention(states, f"{name}.attention.self"), f"{name}.attention.output.dense")
        states = self.norm(states + attended, f"{name}.attention.output.LayerNorm")
        inner = self.linear(states, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + numpy.vectorize(math.erf)(inner / math.sqrt(2)))
        return self.norm(states + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def attention(self, states, name):
        query, key, value = (
            self.linear(states, f"{name}.{part}").reshape(len(states), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH / HEADS)
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(len(states), WIDTH)

    def linear(self, states, name):
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, states, name):
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


if __name__ == "__main__":
    main()
