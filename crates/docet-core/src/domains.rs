//! Domain inference: the domains that a query points to, `D_x` of `eq:retrieval-score` where the caller names none.
//!
//! A domain is as close to a query as the mean cosine of its nearest lessons, near copies counted once. Inferred is
//! every domain that is not clearly behind the closest, so that what gets hidden is. Where the closest is still far,
//! where too many are level, or where a domain of too few lessons is among them, nothing is clear and nothing is
//! inferred. The lessons of `general` neither speak for a domain nor against one: they are never hidden.
//!
//! The figures behind rule and defaults are in `docs/decisions/0004-domain-inference.md`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::embedding::Embedding;
use crate::experience::Domain;

/// Two lessons of one domain with at least this cosine are copies of one; the default of the setting `similar_at`.
const SAME_LESSON: f64 = 0.85;

/// The most domains of an inferred set, `general` aside.
const MAX_INFERRED: usize = 3;

/// When a domain counts as clear. The defaults are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainThresholds {
    /// The least closeness of the closest domain, 0 to 1 as a cosine.
    pub floor: f64,
    /// How far behind the closest a domain must be to be hidden, 0 to 1 as a difference of cosines.
    pub margin: f64,
    /// The number of lessons, at least 1, over which closeness is averaged; a domain with fewer distinct ones is never
    /// inferred.
    pub min_entries: usize,
}

impl Default for DomainThresholds {
    fn default() -> Self {
        Self { floor: 0.50, margin: 0.20, min_entries: 3 }
    }
}

/// The domains inferred for `query`: empty where nothing is clear, otherwise sorted by name, `general` among them.
///
/// `entries` are the library's lessons in any order; the answer does not depend on it. At most three domains beside
/// `general`, and at most half of those that the library has, rounded up.
pub fn infer<'a>(
    query: &Embedding,
    entries: impl IntoIterator<Item = (&'a Domain, &'a Embedding)>,
    thresholds: &DomainThresholds,
) -> Vec<Domain> {
    let candidates: Vec<Candidate<'_>> = neighbours_by_domain(query, entries)
        .into_iter()
        .map(|(domain, neighbours)| Candidate::new(domain, neighbours, thresholds.min_entries))
        .collect();
    let leaders = Leaders::of(&candidates, thresholds.margin);
    if leaders.are_clear(candidates.len(), thresholds.floor) { leaders.with_general() } else { Vec::new() }
}

/// A domain that might be inferred.
struct Candidate<'a> {
    domain: &'a Domain,
    /// The mean cosine of its nearest distinct lessons to the query, [-1, 1].
    closeness: f64,
    /// Whether it has as many of them as inference asks for.
    established: bool,
}

impl<'a> Candidate<'a> {
    fn new(domain: &'a Domain, neighbours: Vec<Neighbour<'_>>, min_entries: usize) -> Self {
        let nearest = distinct_nearest(neighbours, min_entries);
        let sum: f64 = nearest.iter().map(|neighbour| neighbour.similarity).sum();
        Self { domain, closeness: sum / nearest.len() as f64, established: nearest.len() >= min_entries }
    }
}

/// The closest domain and those that are not clearly behind it, sorted by name.
struct Leaders<'a> {
    members: Vec<&'a Candidate<'a>>,
    /// The closeness of the closest; negative infinity where there is none.
    closest: f64,
}

impl<'a> Leaders<'a> {
    fn of(candidates: &'a [Candidate<'a>], margin: f64) -> Self {
        let closest = candidates.iter().map(|candidate| candidate.closeness).fold(f64::NEG_INFINITY, f64::max);
        let members = candidates.iter().filter(|candidate| candidate.closeness >= closest - margin).collect();
        Self { members, closest }
    }

    /// Whether they are close, few, and all known well enough to be inferred.
    fn are_clear(&self, domains: usize, floor: f64) -> bool {
        self.closest >= floor
            && self.members.len() <= MAX_INFERRED.min(domains.div_ceil(2))
            && self.members.iter().all(|member| member.established)
    }

    fn with_general(&self) -> Vec<Domain> {
        let mut domains: Vec<Domain> = self.members.iter().map(|member| member.domain.clone()).collect();
        domains.push(Domain::general());
        domains.sort_unstable();
        domains
    }
}

/// A lesson as seen from the query.
struct Neighbour<'a> {
    embedding: &'a Embedding,
    similarity: f64,
}

impl Neighbour<'_> {
    /// The nearer first; of equally near ones in the order of their numbers, so that no order of entries shows through.
    fn nearer_first(&self, other: &Self) -> Ordering {
        let by_numbers = || self.embedding.as_slice().partial_cmp(other.embedding.as_slice());
        other.similarity.total_cmp(&self.similarity).then_with(|| by_numbers().unwrap_or(Ordering::Equal))
    }
}

/// The lessons of every domain but `general`.
fn neighbours_by_domain<'a>(
    query: &Embedding,
    entries: impl IntoIterator<Item = (&'a Domain, &'a Embedding)>,
) -> BTreeMap<&'a Domain, Vec<Neighbour<'a>>> {
    let mut domains: BTreeMap<&Domain, Vec<Neighbour<'_>>> = BTreeMap::new();
    for (domain, embedding) in entries.into_iter().filter(|(domain, _)| !domain.is_general()) {
        domains.entry(domain).or_default().push(Neighbour { embedding, similarity: query.cosine(embedding) });
    }
    domains
}

/// The nearest lessons, at most `at_most` and at least one, without those that repeat a nearer one.
fn distinct_nearest(mut neighbours: Vec<Neighbour<'_>>, at_most: usize) -> Vec<Neighbour<'_>> {
    neighbours.sort_unstable_by(Neighbour::nearer_first);
    let mut distinct: Vec<Neighbour<'_>> = Vec::new();
    for neighbour in neighbours {
        if distinct.iter().all(|nearer| nearer.embedding.cosine(neighbour.embedding) < SAME_LESSON) {
            distinct.push(neighbour);
        }
        if distinct.len() >= at_most {
            break;
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::DIMENSION;

    /// Lessons with a cosine of about `closeness` to [`query`], each in a direction of its own, so that none repeats
    /// another as long as `closeness` stays below 0.9.
    struct Library(Vec<(Domain, Embedding)>);

    impl Library {
        fn new() -> Self {
            Self(Vec::new())
        }

        fn with(mut self, domain: &str, closeness: &[f32]) -> Self {
            for &cosine in closeness {
                let direction = self.0.len() + 1;
                self.0.push((Domain::parse(domain).unwrap(), lesson(cosine, direction)));
            }
            self
        }

        fn with_copies(mut self, domain: &str, closeness: f32, copies: usize) -> Self {
            let copy = lesson(closeness, self.0.len() + 1);
            self.0.extend((0..copies).map(|_| (Domain::parse(domain).unwrap(), copy.clone())));
            self
        }

        fn infer(&self) -> Vec<String> {
            self.infer_with(&DomainThresholds::default())
        }

        fn infer_with(&self, thresholds: &DomainThresholds) -> Vec<String> {
            let entries = self.0.iter().map(|(domain, embedding)| (domain, embedding));
            infer(&query(), entries, thresholds).iter().map(|domain| domain.as_str().to_owned()).collect()
        }
    }

    fn query() -> Embedding {
        lesson(1.0, 1)
    }

    /// The unit vector at `cosine` to the first axis, leaning towards the axis `direction`.
    fn lesson(cosine: f32, direction: usize) -> Embedding {
        let mut values = [0.0; DIMENSION];
        values[0] = cosine;
        values[direction] += (1.0 - cosine * cosine).sqrt();
        Embedding::new(&values).unwrap()
    }

    const NEAR: [f32; 3] = [0.7, 0.7, 0.7];
    const FAR: [f32; 3] = [0.1, 0.1, 0.1];

    #[test]
    fn what_is_near_and_ahead_is_inferred_with_general() {
        let library = Library::new().with("web", &NEAR).with("code", &FAR);
        assert_eq!(library.infer(), ["general", "web"]);
    }

    #[test]
    fn an_empty_library_infers_nothing() {
        assert!(Library::new().infer().is_empty());
    }

    #[test]
    fn nothing_is_inferred_from_afar() {
        let library = Library::new().with("web", &[0.49; 3]).with("code", &FAR);
        assert!(library.infer().is_empty());
    }

    #[test]
    fn one_domain_alone_needs_the_floor_only() {
        assert_eq!(Library::new().with("web", &NEAR).infer(), ["general", "web"]);
        assert!(Library::new().with("web", &FAR).infer().is_empty());
    }

    #[test]
    fn closeness_is_the_mean_of_the_nearest() {
        let one_lucky_lesson = Library::new().with("web", &[0.8, 0.3, 0.3, 0.3]).with("code", &FAR);
        assert!(one_lucky_lesson.infer().is_empty());
        let far_ones_do_not_count = Library::new().with("web", &[0.8, 0.5, 0.3, 0.0, 0.0]).with("code", &FAR);
        assert_eq!(far_ones_do_not_count.infer(), ["general", "web"]);
    }

    #[test]
    fn domains_that_are_level_are_inferred_together() {
        let library = Library::new().with("web", &NEAR).with("api", &[0.6; 3]).with("code", &FAR).with("math", &FAR);
        assert_eq!(library.infer(), ["api", "general", "web"]);
    }

    #[test]
    fn equally_close_domains_are_sorted_by_name() {
        let library = Library::new().with("zoo", &NEAR).with("ant", &NEAR).with("code", &FAR);
        assert_eq!(library.infer(), ["ant", "general", "zoo"]);
        let exact = DomainThresholds { margin: 0.0, ..DomainThresholds::default() };
        assert_eq!(library.infer_with(&exact), ["ant", "general", "zoo"]);
    }

    #[test]
    fn more_than_half_of_the_domains_are_not_clear() {
        let library = Library::new().with("web", &NEAR).with("api", &[0.6; 3]);
        assert!(library.infer().is_empty());
        assert_eq!(library.with("code", &FAR).infer(), ["api", "general", "web"]);
    }

    #[test]
    fn more_than_three_domains_are_not_clear() {
        let far = ["e", "f", "g", "h"].iter().fold(Library::new(), |library, domain| library.with(domain, &FAR));
        let three = ["a", "b", "c"].iter().fold(far, |library, domain| library.with(domain, &NEAR));
        assert_eq!(three.infer(), ["a", "b", "c", "general"]);
        assert!(three.with("d", &NEAR).infer().is_empty());
    }

    #[test]
    fn a_domain_of_few_lessons_is_never_inferred() {
        for closeness in [&[0.8_f32][..], &[0.8, 0.8]] {
            let library = Library::new().with("tiny", closeness).with("code", &FAR).with("math", &FAR);
            assert!(library.infer().is_empty(), "{closeness:?}");
        }
    }

    #[test]
    fn a_domain_of_few_lessons_makes_others_unclear() {
        let large = Library::new().with("web", &NEAR).with("code", &FAR);
        assert!(large.with("tiny", &[0.6]).infer().is_empty());
        let large = Library::new().with("web", &NEAR).with("code", &FAR);
        assert_eq!(large.with("tiny", &[0.2]).infer(), ["general", "web"]);
    }

    #[test]
    fn copies_of_one_lesson_count_once() {
        let library = Library::new().with_copies("web", 0.8, 9).with("code", &FAR);
        assert!(library.infer().is_empty());
        assert_eq!(library.with("web", &[0.7, 0.6]).infer(), ["general", "web"]);
    }

    #[test]
    fn general_is_never_inferred_and_never_in_the_way() {
        let alone = Library::new().with("general", &NEAR);
        assert!(alone.infer().is_empty());
        assert!(alone.with("web", &FAR).infer().is_empty());
        let nearest = Library::new().with("general", &[0.8; 4]).with("web", &[0.55; 3]).with("code", &FAR);
        assert_eq!(nearest.infer(), ["general", "web"]);
    }

    #[test]
    fn one_entry_suffices_where_the_setting_says_so() {
        let library = Library::new().with("web", &[0.7]).with("code", &[0.1]);
        let single = DomainThresholds { min_entries: 1, ..DomainThresholds::default() };
        assert_eq!(library.infer_with(&single), ["general", "web"]);
    }

    #[test]
    fn the_largest_margin_hides_nothing_that_is_near() {
        let library = Library::new().with("web", &NEAR).with("code", &FAR);
        let shy = DomainThresholds { margin: 1.0, ..DomainThresholds::default() };
        assert!(library.infer_with(&shy).is_empty());
    }

    #[test]
    fn the_order_of_entries_does_not_matter() {
        // Equally near: the middle one repeats both others, which do not repeat each other.
        let (left, middle, right) = ([0.5, 0.18, 0.5, 0.18], [0.18, 0.5, 0.5, 0.18], [0.18, 0.5, 0.18, 0.5]);
        let web = Domain::parse("web").unwrap();
        let mut entries: Vec<_> = [left, middle, right].iter().map(|leaning| (&web, equally_near(leaning))).collect();
        let two = DomainThresholds { min_entries: 2, ..DomainThresholds::default() };
        for turn in 0..6 {
            entries.swap(turn % 2, turn % 2 + 1);
            let inferred = infer(&query(), entries.iter().map(|(domain, embedding)| (*domain, embedding)), &two);
            assert_eq!(inferred, [Domain::general(), web.clone()], "turn {turn}");
        }
    }

    /// The unit vector at a cosine of 0.6597 to [`query`] whose next coordinates are `leaning`.
    fn equally_near(leaning: &[f32; 4]) -> Embedding {
        let mut values = [0.0; DIMENSION];
        values[0] = 0.6597;
        values[1..5].copy_from_slice(leaning);
        Embedding::new(&values).unwrap()
    }
}
