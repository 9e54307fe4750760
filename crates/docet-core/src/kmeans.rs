//! K-means on points of any dimension: two starts and Lloyd's rounds, deterministic to the last bit.
//!
//! A clustering is a cluster number a point. Clusters are numbered by their first point; distances are squared
//! Euclidean ones, in doubles.

use crate::embedding::sum_over;

/// Lloyd's rounds at most.
const MAX_ROUNDS: usize = 100;

/// A starting partition: the cluster of each point, and how many clusters there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    cluster_of: Vec<usize>,
    clusters: usize,
}

/// Ward's merging: every point its own cluster, then the pair whose merge adds least to the sum of squares, until
/// `clusters` are left; of equal pairs the one of lowest numbers.
pub(crate) fn ward_start(points: &[&[f32]], clusters: usize) -> Start {
    let mut merging = Ward::new(points);
    for _ in clusters.max(1)..points.len() {
        merging.merge_nearest();
    }
    renumbered(merging.root_of, clusters)
}

/// k-means++: the first centre at random, each further one with a chance proportional to its squared distance from
/// the nearest before it; then each point to its nearest.
pub(crate) fn plus_plus_start(points: &[&[f32]], clusters: usize, seed: u64) -> Start {
    let mut random = SplitMix64(seed);
    let mut nearest = vec![(f64::INFINITY, 0); points.len()];
    for number in 0..clusters.min(points.len()) {
        let chosen = if number == 0 { random.below(points.len()) } else { draw(&nearest, &mut random) };
        for (place, point) in points.iter().enumerate() {
            let distance = squared_distance(point, points[chosen]);
            if distance < nearest[place].0 {
                nearest[place] = (distance, number);
            }
        }
    }
    renumbered(nearest.into_iter().map(|(_, number)| number).collect(), clusters)
}

/// Lloyd's rounds: centres are means, each point goes to the nearest centre (of equal ones the lower), until nothing
/// moves. An empty cluster stays empty.
pub(crate) fn lloyd(points: &[&[f32]], start: Start) -> Vec<usize> {
    let mut cluster_of = start.cluster_of;
    for _ in 0..MAX_ROUNDS {
        let centres = centres(points, &cluster_of, start.clusters);
        let moved: Vec<usize> = points.iter().map(|point| nearest_centre(point, &centres)).collect();
        if moved == cluster_of {
            break;
        }
        cluster_of = moved;
    }
    cluster_of
}

/// Clusters numbered in the order of their first points.
fn renumbered(cluster_of: Vec<usize>, clusters: usize) -> Start {
    let mut number_of = vec![None; cluster_of.iter().max().map_or(0, |highest| highest + 1)];
    let mut next = 0;
    let cluster_of = cluster_of
        .into_iter()
        .map(|old| {
            *number_of[old].get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    Start { cluster_of, clusters: clusters.max(next) }
}

/// The mean of each cluster; none of an empty one.
fn centres(points: &[&[f32]], cluster_of: &[usize], clusters: usize) -> Vec<Option<Vec<f64>>> {
    let dimension = points.first().map_or(0, |point| point.len());
    let mut sums = vec![(0_usize, vec![0.0; dimension]); clusters];
    for (point, &cluster) in points.iter().zip(cluster_of) {
        let (count, sum) = &mut sums[cluster];
        *count += 1;
        for (total, &value) in sum.iter_mut().zip(*point) {
            *total += f64::from(value);
        }
    }
    let mean = |(count, sum): (usize, Vec<f64>)| {
        (count > 0).then(|| sum.into_iter().map(|total| total / count as f64).collect())
    };
    sums.into_iter().map(mean).collect()
}

fn nearest_centre(point: &[f32], centres: &[Option<Vec<f64>>]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (number, centre) in centres.iter().enumerate() {
        let Some(centre) = centre else { continue };
        let distance = sum_over(point.len(), |i| square(f64::from(point[i]) - centre[i]));
        if distance < best.0 {
            best = (distance, number);
        }
    }
    best.1
}

/// The place of a point drawn with a chance proportional to its squared distance.
fn draw(nearest: &[(f64, usize)], random: &mut SplitMix64) -> usize {
    let total: f64 = nearest.iter().map(|(distance, _)| distance).sum();
    let mut left = random.unit() * total;
    for (place, (distance, _)) in nearest.iter().enumerate() {
        left -= distance;
        if left < 0.0 {
            return place;
        }
    }
    random.below(nearest.len())
}

/// Clusters under Ward's merging, each known by its first point.
struct Ward {
    /// The cluster of each point.
    root_of: Vec<usize>,
    size: Vec<f64>,
    present: Vec<bool>,
    /// What merging each pair would add to the sum of squares: the lower triangle, row by row.
    cost: Vec<f64>,
    /// The cheapest partner of each cluster among those of higher number.
    partner: Vec<Option<(f64, usize)>>,
}

impl Ward {
    fn new(points: &[&[f32]]) -> Self {
        let count = points.len();
        let mut ward = Self {
            root_of: (0..count).collect(),
            size: vec![1.0; count],
            present: vec![true; count],
            cost: vec![0.0; count * count.saturating_sub(1) / 2],
            partner: vec![None; count],
        };
        for a in 0..count {
            for b in a + 1..count {
                ward.cost[pair(a, b)] = squared_distance(points[a], points[b]) / 2.0;
            }
        }
        for a in 0..count {
            ward.find_partner(a);
        }
        ward
    }

    fn merge_nearest(&mut self) {
        let cheapest = (0..self.size.len())
            .filter(|&a| self.present[a])
            .filter_map(|a| self.partner[a].map(|(cost, b)| (cost, a, b)))
            .min_by(|x, y| x.0.total_cmp(&y.0).then_with(|| (x.1, x.2).cmp(&(y.1, y.2))));
        if let Some((_, into, from)) = cheapest {
            self.update_costs(into, from);
            self.absorb(into, from);
            self.update_partners(into, from);
        }
    }

    /// Lance and Williams' formula for Ward's method.
    fn update_costs(&mut self, into: usize, from: usize) {
        let (a, b, joined) = (self.size[into], self.size[from], self.cost[pair(into, from)]);
        for other in (0..self.size.len()).filter(|&other| other != into && other != from) {
            if self.present[other] {
                let c = self.size[other];
                let apart = (a + c) * self.cost[pair(into, other)] + (b + c) * self.cost[pair(from, other)];
                self.cost[pair(into, other)] = (apart - c * joined) / (a + b + c);
            }
        }
    }

    fn absorb(&mut self, into: usize, from: usize) {
        self.size[into] += self.size[from];
        self.present[from] = false;
        for root in &mut self.root_of {
            if *root == from {
                *root = into;
            }
        }
    }

    fn update_partners(&mut self, into: usize, from: usize) {
        self.find_partner(into);
        for other in (0..from).filter(|&other| other != into) {
            if !self.present[other] {
                continue;
            }
            match self.partner[other] {
                Some((_, partner)) if partner == into || partner == from => self.find_partner(other),
                Some(known) if other < into => {
                    let cost = self.cost[pair(other, into)];
                    if cost < known.0 || (cost == known.0 && into < known.1) {
                        self.partner[other] = Some((cost, into));
                    }
                }
                _ => {}
            }
        }
    }

    fn find_partner(&mut self, cluster: usize) {
        let later = (cluster + 1..self.size.len()).filter(|&other| self.present[other]);
        let costs = later.map(|other| (self.cost[pair(cluster, other)], other));
        self.partner[cluster] = costs.min_by(|x, y| x.0.total_cmp(&y.0).then_with(|| x.1.cmp(&y.1)));
    }
}

/// Where the pair stands in a lower triangle.
fn pair(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high - 1) / 2 + low
}

fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    sum_over(a.len(), |i| square(f64::from(a[i]) - f64::from(b[i])))
}

fn square(value: f64) -> f64 {
    value * value
}

/// Steele, Lea and Flood's SplitMix64: a small generator whose stream is fixed by its seed for ever.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In [0, 1), 53 bits of it.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.unit() * bound as f64) as usize).min(bound.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_a_line(places: &[f32]) -> Vec<[f32; 1]> {
        places.iter().map(|place| [*place]).collect()
    }

    fn as_slices(points: &[[f32; 1]]) -> Vec<&[f32]> {
        points.iter().map(|point| &point[..]).collect()
    }

    fn inertia(points: &[&[f32]], cluster_of: &[usize]) -> f64 {
        let clusters = cluster_of.iter().max().map_or(0, |highest| highest + 1);
        let centres = centres(points, cluster_of, clusters);
        let centre = |cluster: usize| centres[cluster].clone().expect("a point's own cluster is not empty");
        let off = |(point, cluster): (&&[f32], &usize)| square(f64::from(point[0]) - centre(*cluster)[0]);
        points.iter().zip(cluster_of).map(off).sum()
    }

    #[test]
    fn ward_merges_what_adds_least() {
        // 0 1 | 5 6 | 20 by hand: 0+1 adds 0.5, 5+6 adds 0.5 (the later pair), then {0 1}+{5 6} adds
        // 2*2/4 * 5^2 = 25, {5 6}+20 adds 2*1/3 * 14.5^2 = 140.
        let points = on_a_line(&[5.0, 0.0, 20.0, 1.0, 6.0]);
        let start = |clusters| ward_start(&as_slices(&points), clusters).cluster_of;
        assert_eq!(start(5), [0, 1, 2, 3, 4]);
        assert_eq!(start(4), [0, 1, 2, 3, 0]);
        assert_eq!(start(3), [0, 1, 2, 1, 0]);
        assert_eq!(start(2), [0, 0, 1, 0, 0]);
        assert_eq!(start(1), [0, 0, 0, 0, 0]);
    }

    #[test]
    fn lloyd_never_leaves_a_better_single_move_and_beats_no_optimum() {
        let mut random = SplitMix64(7);
        for _ in 0..200 {
            let points = on_a_line(&std::array::from_fn::<f32, 7, _>(|_| random.unit() as f32));
            let slices = as_slices(&points);
            let found = inertia(&slices, &lloyd(&slices, ward_start(&slices, 3)));
            let best = (0..3_usize.pow(7))
                .map(|code| (0..7).map(|digit| code / 3_usize.pow(digit) % 3).collect::<Vec<_>>())
                .map(|partition| inertia(&slices, &partition))
                .fold(f64::INFINITY, f64::min);
            assert!(found >= best - 1e-12 && found <= best * 2.0 + 1e-12, "{found} against {best}");
        }
    }

    #[test]
    fn equal_points_leave_clusters_empty() {
        let points = on_a_line(&[0.5; 6]);
        for start in [ward_start(&as_slices(&points), 3), plus_plus_start(&as_slices(&points), 3, 1)] {
            assert_eq!(lloyd(&as_slices(&points), start), [0; 6]);
        }
    }

    #[test]
    fn plus_plus_depends_on_its_seed_alone() {
        let mut random = SplitMix64(3);
        let points = on_a_line(&std::array::from_fn::<f32, 40, _>(|_| random.unit() as f32));
        let start = |seed| plus_plus_start(&as_slices(&points), 5, seed);
        assert_eq!(start(1), start(1));
        assert!((0..9).any(|seed| start(seed) != start(1)));
    }
}
