#!/usr/bin/env python3
"""Repeat the figures of docs/decisions/0004-domain-inference.md. Needs numpy, the data folder, the encoder's vectors.

    measure.py --docet target/release/docet [--cache FOLDER]

Vectors come from `docet --json embed --lines -`. With --cache they are kept as FOLDER/NAME.npy and taken from there
the next time. The data folder is $DOCET_TEST_DATA, else ../shared/data beside the workspace. Takes two minutes.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
from pathlib import Path

import numpy as np

WORKSPACE = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("DOCET_TEST_DATA") or WORKSPACE.parent / "shared" / "data")

# The rule as crates/docet-core/src/domains.rs ships it.
FLOOR, MARGIN, MIN_ENTRIES = 0.50, 0.20, 3
SAME_LESSON, MOST_DOMAINS = 0.85, 3

FLOORS = np.arange(30, 66) / 100
MARGINS = np.arange(0, 41) / 100
SPLITS = 40
CHOOSING_COVERAGE = 0.85
ABSENT = -2.0
SLACK = 1e-12


# --- the rule ---


def distinct_nearest(similarities, alike, at_most):
    """Places of the nearest lessons, nearest first, near copies left out."""
    kept = []
    for place in np.argsort(-similarities, kind="stable"):
        if similarities[place] == ABSENT or len(kept) == at_most:
            break
        if not alike[place, kept].any():
            kept.append(place)
    return kept


def closeness_by_nearest(min_entries):
    """The shipped score: per query and domain the mean of the nearest distinct lessons, and whether they suffice."""

    def score(similarities, lessons, labels, domains):
        closeness = np.full((len(similarities), domains), ABSENT)
        established = np.zeros((len(similarities), domains), bool)
        for domain in np.unique(labels):
            places = np.flatnonzero(labels == domain)
            alike = lessons[places] @ lessons[places].T >= SAME_LESSON
            for query, row in enumerate(similarities[:, places]):
                kept = distinct_nearest(row, alike, min_entries)
                if kept:
                    closeness[query, domain] = row[kept].mean()
                    established[query, domain] = len(kept) >= min_entries
        return closeness, established

    return score


def closeness_by_centroid(similarities, lessons, labels, domains):
    closeness = np.full((len(similarities), domains), ABSENT)
    for domain in np.unique(labels):
        own = labels == domain
        closeness[:, domain] = similarities[:, own].mean(1) / np.linalg.norm(lessons[own].mean(0))
    counts = np.bincount(labels, minlength=domains)
    return closeness, np.broadcast_to(counts >= MIN_ENTRIES, closeness.shape)


def closeness_by_both(similarities, lessons, labels, domains):
    """Half nearest lessons, half centroid."""
    nearest, established = closeness_by_nearest(MIN_ENTRIES)(similarities, lessons, labels, domains)
    centroid, _ = closeness_by_centroid(similarities, lessons, labels, domains)
    return np.where(nearest > ABSENT, (nearest + centroid) / 2, ABSENT), established


class Inferred:
    """What a score infers for every query at one margin: the members, and whether they are clear but for the floor."""

    def __init__(self, scored, margin, most=MOST_DOMAINS):
        closeness, established = scored
        self.closest = closeness.max(1)
        self.members = closeness >= self.closest[:, None] - margin - SLACK
        self.size = self.members.sum(1)
        present = (closeness > ABSENT).any(0).sum()
        self.clear = (self.size <= min(most, (present + 1) // 2)) & ~(self.members & ~established).any(1)

    def given(self, floor):
        return self.clear & (self.closest >= floor - SLACK)

    def holds(self, truth):
        return np.where(truth >= 0, self.members[np.arange(len(truth)), np.maximum(truth, 0)], False)


# --- figures ---


def figures(given, right, size, asked, in_scope):
    """(wrong in 100 of all asked, coverage of those in scope, mean size of the sets given), general not counted."""
    given = given & asked
    wrong = 100 * (given & ~right).sum() / asked.sum()
    coverage = (given & right).sum() / max(1, (asked & in_scope).sum())
    return wrong, coverage, size[given].mean() if given.any() else 0.0


def measured(scored, truth, asked=None, floor=FLOOR, margin=MARGIN, right=None):
    inferred = Inferred(scored, margin)
    right = inferred.holds(truth) if right is None else right(inferred.members)
    asked = np.ones(len(truth), bool) if asked is None else asked
    return figures(inferred.given(floor), right, inferred.size, asked, truth >= 0)


def grid(scored, truth, most=MOST_DOMAINS):
    """Per margin: members' size, whether they hold the truth, and per floor whether they are given."""
    rows = []
    for margin in MARGINS:
        inferred = Inferred(scored, margin, most)
        rows.append((inferred.size, inferred.holds(truth), np.array([inferred.given(floor) for floor in FLOORS])))
    return rows


def at(table, truth, asked, margin, floor):
    size, right, given = table[margin]
    return figures(given[floor], right, size, asked, truth >= 0)


def chosen(table, truth, asked):
    """The fewest wrong among pairs with enough coverage on `asked`; then the larger margin, then the higher floor."""
    in_scope = asked & (truth >= 0)
    best = (-np.inf, 0, 0)
    for margin, (_, right, given) in enumerate(table):
        wrong = (given & ~right & asked).sum(1)
        coverage = (given & right & in_scope).sum(1) / in_scope.sum()
        worth = np.where(coverage >= CHOOSING_COVERAGE, -wrong, -1e9 + coverage)
        for floor, value in enumerate(worth):
            best = max(best, (value, margin, floor))
    return best[1], best[2]


# --- clinc ---


class Clinc:
    def __init__(self, embed):
        rows = read("queries/clinc.jsonl")
        vectors = embed("clinc", [row["query"] for row in rows])
        library, asking = ([i for i, row in enumerate(rows) if row["use"] == use] for use in ("library", "query"))
        self.domains = sorted({rows[i]["domain"] for i in library})
        number = {domain: place for place, domain in enumerate(self.domains)}
        self.lessons = vectors[library]
        self.similarities = vectors[asking] @ self.lessons.T
        self.labels = np.array([number[rows[i]["domain"]] for i in library])
        self.truth = np.array([number.get(rows[i]["domain"], -1) for i in asking])
        self.lesson_intents = np.array([rows[i]["intent"] for i in library])
        self.query_intents = np.array([rows[i]["intent"] or "" for i in asking])
        self.of_domain = {rows[i]["intent"]: rows[i]["domain"] for i in library}
        outside = np.flatnonzero(self.truth < 0)
        self.even = np.zeros(len(asking), bool)
        self.even[outside[::2]] = True

    def scored(self, score, lessons=None):
        lessons = np.ones(len(self.labels), bool) if lessons is None else lessons
        return score(self.similarities[:, lessons], self.lessons[lessons], self.labels[lessons], len(self.domains))

    def half(self, intents, even):
        """Which queries belong to a half: those of its intents, and every other one out of scope."""
        return np.where(self.truth >= 0, np.isin(self.query_intents, intents), self.even == even)

    def splits(self, by_domain):
        """Two halves of the intents: any ten, or one of each domain."""
        for seed in range(SPLITS):
            shuffled = sorted(self.of_domain)
            random.Random(seed).shuffle(shuffled)
            if by_domain:
                first = list({self.of_domain[intent]: intent for intent in shuffled}.values())
            else:
                first = shuffled[: len(shuffled) // 2]
            yield first, [intent for intent in shuffled if intent not in first]


def forty_splits(clinc, score=closeness_by_nearest(MIN_ENTRIES), most=MOST_DOMAINS, kinds=("chosen", "fixed")):
    """Every reading of the protocol: lessons present, how intents are drawn, which half out of scope is tested."""
    whole = grid(clinc.scored(score), clinc.truth, most)
    for own in (False, True):
        for by_domain in (False, True):
            halves = list(clinc.splits(by_domain))
            tables = [own_tables(clinc, score, most, pair) if own else (whole, whole) for pair in halves]
            for even in (False, True):
                results = [split_figures(clinc, *pair) for pair in zip(halves, tables, [even] * SPLITS)]
                cells = [summary([result[kind] for result in results]) for kind in kinds]
                drawn, outside = "one a domain" if by_domain else "any ten", "even" if even else "odd"
                reading = ("own half" if own else "whole", drawn, outside)
                print("| " + " | ".join([*reading, *cells]) + " |")


def own_tables(clinc, score, most, halves):
    """Tables of the two libraries that hold the lessons of one half each."""
    lessons = (np.isin(clinc.lesson_intents, half) for half in halves)
    return [grid(clinc.scored(score, present), clinc.truth, most) for present in lessons]


def split_figures(clinc, halves, tables, even):
    asked = clinc.half(halves[1], even)
    pair = chosen(tables[0], clinc.truth, clinc.half(halves[0], not even))
    fixed = int(np.argmin(abs(MARGINS - MARGIN))), int(np.argmin(abs(FLOORS - FLOOR)))
    return {name: at(tables[1], clinc.truth, asked, *which) for name, which in (("chosen", pair), ("fixed", fixed))}


def summary(rows):
    wrong, coverage, size = np.array(rows).T
    return f"{wrong.mean():4.2f} | {wrong.max():3.1f} | {coverage.mean():.3f} | {coverage.min():.2f} | {size.mean():.2f}"


def curve(clinc):
    scored = clinc.scored(closeness_by_nearest(MIN_ENTRIES))
    margins = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
    print("| floor | " + " | ".join(f"margin {margin:.2f}" for margin in margins) + " |")
    for floor in (0.38, 0.41, 0.44, 0.47, 0.50, 0.53, 0.56):
        row = [measured(scored, clinc.truth, floor=floor, margin=margin) for margin in margins]
        cells = (f"{coverage:.3f} / {wrong:.1f} / {size:.2f}" for wrong, coverage, size in row)
        print(f"| {floor:.2f} | " + " | ".join(cells) + " |")


def alternatives(clinc):
    """The best coverage over the grid with at most so many wrong, on all queries at once."""
    scores = {"centroid": closeness_by_centroid, "centroid and nearest 3": closeness_by_both}
    scores |= {f"nearest {count}": closeness_by_nearest(count) for count in (1, 2, 3, 5, 8)}
    asked = np.ones(len(clinc.truth), bool)
    for name, score in scores.items():
        scored = clinc.scored(score)
        for most in (1, 2, 3):
            table = grid(scored, clinc.truth, most)
            places = itertools.product(range(len(MARGINS)), range(len(FLOORS)))
            pairs = [at(table, clinc.truth, asked, margin, floor) for margin, floor in places]
            cells = []
            for allowed in (0.5, 1.0, 1.5):
                _, coverage, size = max((pair for pair in pairs if pair[0] <= allowed + 1e-9), key=lambda pair: pair[1])
                cells.append(f"{coverage:.3f} ({size:.2f})")
            print(f"| {name}, up to {most} | " + " | ".join(cells) + " |")


def small_libraries(clinc):
    """Libraries of few lessons a domain, and of unequal domains."""
    draws = {f"{count} a domain": [count] for count in (1, 2, 3, 4, 5, 6, 8, 10)}
    draws["1 to 40 a domain"] = [1, 2, 3, 5, 10, 20, 40]
    for name, counts in draws.items():
        results = {min_entries: [] for min_entries in (2, 3, 4, 5)}
        for seed in range(20):
            generator = np.random.default_rng(seed)
            lessons = np.zeros(len(clinc.labels), bool)
            for domain in range(len(clinc.domains)):
                own = np.flatnonzero(clinc.labels == domain)
                lessons[generator.choice(own, generator.choice(counts), replace=False)] = True
            for min_entries, rows in results.items():
                rows.append(measured(clinc.scored(closeness_by_nearest(min_entries), lessons), clinc.truth))
        cells = []
        for rows in results.values():
            wrong, coverage, _ = np.array(rows).T
            cells.append(f"{wrong.mean():.2f} / {wrong.max():.1f} / {coverage.mean():.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |")


def copies(clinc):
    """Every other domain holds one lesson five times, the rest twenty each."""
    rows, fooled = [], 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        places = []
        for domain in range(len(clinc.domains)):
            own = np.flatnonzero(clinc.labels == domain)
            copied = domain % 2 == 0
            places += [generator.choice(own)] * 5 if copied else list(generator.choice(own, 20, replace=False))
        scored = clinc.scored(closeness_by_nearest(MIN_ENTRIES), np.array(places))
        rows.append(measured(scored, clinc.truth))
        inferred = Inferred(scored, MARGIN)
        fooled += (inferred.given(FLOOR) & inferred.members[:, ::2].any(1)).sum()
    wrong, coverage, _ = np.array(rows).T
    print(f"wrong {wrong.mean():.2f}, worst {wrong.max():.1f}, coverage {coverage.mean():.3f}, copies inferred {fooled}")


def missing_lessons(clinc):
    """Queries of intents whose lessons the library lacks, while another intent of the domain may be there."""
    score, rows = closeness_by_nearest(MIN_ENTRIES), []
    for present, absent in clinc.splits(by_domain=False):
        scored = clinc.scored(score, np.isin(clinc.lesson_intents, present))
        rows.append(measured(scored, clinc.truth, np.isin(clinc.query_intents, absent)))
    wrong, coverage, _ = np.array(rows).T
    print(f"wrong {wrong.mean():.2f}, worst {wrong.max():.1f}, coverage {coverage.mean():.3f}")


# --- other material ---


def webarena(embed):
    """Tasks ask, all tasks of other templates are the lessons, the domain is the site."""
    rows = read("queries/webarena.jsonl")
    vectors = embed("webarena", [row["query"] for row in rows])
    domains = sorted({row["domain"] for row in rows})
    labels = np.array([domains.index(row["domain"]) for row in rows])
    templates = np.array([row["template"] for row in rows])
    similarities = np.where(templates[:, None] == templates, ABSENT, vectors @ vectors.T)
    sites = [set(domain.split("+")) for domain in domains]
    shared = np.array([[bool(sites[label] & other) for other in sites] for label in labels])
    scored = closeness_by_nearest(MIN_ENTRIES)(similarities, vectors, labels, len(domains))
    print("webarena, the whole label:", line(measured(scored, labels)))
    print("webarena, one site of it :", line(measured(scored, labels, right=lambda held: (held & shared).any(1))))


def clippy(embed):
    """What is bad asks, what a lint checks are the lessons; the domain is the lint's group, which is hardly a topic."""
    rows = read("guidelines/clippy.jsonl")
    lessons = embed("clippy_text", [row["text"] for row in rows])
    queries = embed("clippy_query", [row["query"] for row in rows])
    domains = sorted({row["domain"] for row in rows})
    labels = np.array([domains.index(row["domain"]) for row in rows])
    similarities = queries @ lessons.T
    score = closeness_by_nearest(MIN_ENTRIES)
    print("clippy, its lesson there :", line(measured(score(similarities, lessons, labels, len(domains)), labels)))
    np.fill_diagonal(similarities, ABSENT)
    print("clippy, its lesson absent:", line(measured(score(similarities, lessons, labels, len(domains)), labels)))


def line(result):
    wrong, coverage, size = result
    return f"wrong {wrong:.2f}, coverage {coverage:.3f}, mean set {size:.2f}"


# --- vectors ---


def read(name):
    return [json.loads(row) for row in (DATA / name).read_text(encoding="utf-8").splitlines()]


def embedder(docet, cache):
    """A function (name, texts) -> unit vectors in double precision."""

    def embed(name, texts):
        kept = cache and cache / f"{name}.npy"
        if kept and kept.exists():
            vectors = np.load(kept)
        else:
            vectors = run_docet(docet, texts)
            if kept:
                cache.mkdir(parents=True, exist_ok=True)
                np.save(kept, vectors.astype(np.float32))
        assert vectors.shape == (len(texts), 384), f"{name}: {vectors.shape}"
        vectors = vectors.astype(np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    return embed


def run_docet(docet, texts):
    if not docet:
        raise SystemExit("no cached vectors: name the built binary with --docet")
    lines = "".join(" ".join(text.splitlines()) + "\n" for text in texts)
    command = [docet, "--json", "embed", "--lines", "-"]
    answer = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    return np.array(json.loads(answer)["embeddings"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docet", help="the built binary")
    parser.add_argument("--cache", type=Path, help="folder of NAME.npy files, read and filled")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"no data at {DATA}: set DOCET_TEST_DATA")
    embed = embedder(arguments.docet, arguments.cache)
    clinc = Clinc(embed)
    columns = "wrong | worst | coverage | least | mean set"
    print(f"# {SPLITS} splits: thresholds chosen on one half, then the shipped {FLOOR:.2f}, {MARGIN:.2f}, {MIN_ENTRIES}")
    print(f"| library | intents | out of scope | {columns} | {columns} |")
    forty_splits(clinc)
    print(f"\n# {SPLITS} splits of the nearest centroid, one domain, thresholds chosen")
    print(f"| library | intents | out of scope | {columns} |")
    forty_splits(clinc, closeness_by_centroid, most=1, kinds=("chosen",))
    print("\n# The curve, all queries: coverage / wrong in 100 / mean set")
    curve(clinc)
    print("\n# Alternatives: best coverage (mean set) with at most 0.5, 1.0, 1.5 wrong in 100, all queries")
    alternatives(clinc)
    print("\n# Small libraries, by min_entries 2, 3, 4, 5: wrong / worst / coverage of 20 draws")
    small_libraries(clinc)
    print("\n# Copies of one lesson")
    copies(clinc)
    print("\n# Queries whose lessons are missing")
    missing_lessons(clinc)
    print("\n# Other material")
    webarena(embed)
    clippy(embed)


if __name__ == "__main__":
    main()
