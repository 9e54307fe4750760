"""Hand-worked examples for the oracle; the working stands beside each. Run: python3 -m unittest test_docet_oracle"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

import docet_oracle as oracle


def entry(entry_id, embedding=(1.0, 0.0), **fields):
    """A whole entry; a test names what matters to it."""
    return {"id": entry_id, "text": f"lesson {entry_id}", "domain": "general", "confidence": 0.5, "usage_count": 0,
            "epoch": 0, "successes": 0, "failures": 0, "last_improved": None, "pinned": False, "source": None,
            "embedding": list(embedding), **fields}


def ids(items):
    return [item["id"] for item in items]


def ask(**request):
    """Through the line protocol, so that every answer is also valid JSON."""
    return json.loads(json.dumps(oracle.answer(json.dumps(request)), allow_nan=False))


class Confidence(unittest.TestCase):
    """eq:confidence-update"""

    def updated(self, confidence, verdict):
        return oracle.updated_confidence(confidence, verdict, oracle.DEFAULTS)

    def test_two_improvements(self):
        # 0.5 + 0.1 * 0.5 = 0.55; 0.55 + 0.1 * 0.45 = 0.595
        first = self.updated(0.5, "improved")
        self.assertAlmostEqual(first, 0.55, places=15)
        self.assertAlmostEqual(self.updated(first, "improved"), 0.595, places=15)

    def test_failure(self):
        # 0.5 - 0.1 * 0.5 = 0.45; 0.45 - 0.045 = 0.405
        self.assertAlmostEqual(self.updated(0.5, "not_improved"), 0.45, places=15)
        self.assertAlmostEqual(self.updated(0.45, "not_improved"), 0.405, places=15)

    def test_bounds(self):
        # 0.94 + 0.006 = 0.946, under 0.95; 0.946 + 0.0054 = 0.9514, over it
        self.assertAlmostEqual(self.updated(0.94, "improved"), 0.946, places=15)
        self.assertEqual(self.updated(0.946, "improved"), 0.95)
        # 0.055 - 0.0055 = 0.0495, under 0.05
        self.assertEqual(self.updated(0.055, "not_improved"), 0.05)

    def test_a_bound_that_moved_past_an_entry(self):
        # min(0.97 + 0.003, 0.95) = 0.95 would lower it; max(0.03 - 0.003, 0.05) = 0.05 would raise it
        self.assertEqual(self.updated(0.97, "improved"), 0.97)
        self.assertEqual(self.updated(0.03, "not_improved"), 0.03)
        # The other direction is the plain rule: 0.97 - 0.097 = 0.873
        self.assertAlmostEqual(self.updated(0.97, "not_improved"), 0.873, places=15)

    def test_no_evidence(self):
        self.assertEqual(self.updated(0.5, "no_evidence"), 0.5)
        self.assertEqual(self.updated(0.5, "insufficient_data"), 0.5)


class Sessions(unittest.TestCase):
    """Section 2: the order in which a verdict is reached"""

    LABELS = [{"label": "G0", "id": 1}, {"label": "G1", "id": 2}]

    def end(self, *sessions, **settings):
        numbered = [{"epoch": number, "labels": self.LABELS, **session} for number, session in enumerate(sessions, 1)]
        return ask(do="sessions", settings=settings, entries=[entry(1), entry(2)], sessions=numbered)

    def verdicts(self, answer):
        return [update["verdict"] for update in answer["updates"]]

    def test_a_labels_own_word_goes_before_the_sessions(self):
        answer = self.end({"improved": True, "not_improved": ["G1"], "reward": 0.0})
        session = answer["sessions"][0]
        self.assertEqual(self.verdicts(session), ["improved", "not_improved"])
        self.assertEqual((session["verdict"], session["reward"], session["baseline"], session["baseline_from"]),
                         ("mixed", 0.0, None, None))
        self.assertEqual([(e["confidence"], e["usage_count"], e["successes"], e["failures"], e["last_improved"])
                          for e in answer["entries"]], [(0.55, 1, 1, 0, 1), (0.45, 1, 0, 1, None)])

    def test_labels_without_a_word_go_on_to_the_reward(self):
        session = self.end({"improved": ["G0"], "reward": 0.2, "baseline": 0.5})["sessions"][0]
        self.assertEqual((self.verdicts(session), session["baseline_from"]), (["improved", "not_improved"], "caller"))
        session = self.end({"improved": ["G0"]})["sessions"][0]
        self.assertEqual(self.verdicts(session), ["improved", "no_evidence"])

    def test_the_running_baseline_leaves_this_session_out(self):
        # Five rewards 1, 0, 1, 0, 0 with too little before them; then 2 / 5 = 0.4, then (2 + 0.4) / 6 = 0.4.
        rewards = [1.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.5]
        sessions = self.end(*[{"reward": reward} for reward in rewards])["sessions"]
        self.assertEqual([s["verdict"] for s in sessions], ["insufficient_data"] * 5 + ["no_evidence", "improved"])
        self.assertEqual([s["baseline_from"] for s in sessions], ["running"] * 7)
        self.assertEqual([s["baseline"] for s in sessions[:6]], [None] * 5 + [0.4])
        self.assertAlmostEqual(sessions[6]["baseline"], 0.4, places=15)
        self.assertEqual(sessions[6]["updates"][0]["usage_count"], 7)

    def test_groups_and_window(self):
        given = [("a", 1.0), (None, 0.0), ("a", 0.0), ("a", 0.5), ("a", 0.0), (None, 1.0)]
        sessions = self.end(*[{"group": group, "reward": reward} for group, reward in given],
                            baseline_window=2, baseline_min=1)["sessions"]
        # "a": nothing; 1; mean(1, 0); mean(0, 0.5). No group: nothing; 0.
        self.assertEqual([s["baseline"] for s in sessions], [None, None, 1.0, 0.5, 0.25, 0.0])

    def test_ties_and_a_baseline_from_the_settings(self):
        session = {"reward": 0.5 + 5e-10}
        self.assertEqual(self.end(session, baseline=0.5)["sessions"][0]["verdict"], "no_evidence")
        self.assertEqual(self.end(session, baseline=0.5, tie="not_improved")["sessions"][0]["verdict"], "not_improved")
        above = self.end({"reward": 0.5 + 5e-9}, baseline=0.5)["sessions"][0]
        self.assertEqual((above["verdict"], above["baseline"], above["baseline_from"]), ("improved", 0.5, "setting"))

    def test_what_was_applied(self):
        answer = self.end({"applied": ["G1"], "improved": True}, {"applied": [], "not_improved": True})
        self.assertEqual(ids(answer["sessions"][0]["updates"]), [2])
        self.assertEqual((answer["sessions"][1]["verdict"], answer["sessions"][1]["updates"]), ("not_improved", []))
        self.assertEqual([e["usage_count"] for e in answer["entries"]], [0, 1])

    def test_refusals_change_nothing(self):
        answer = self.end({"improved": ["G0"], "not_improved": ["G0"], "reward": 1.0},
                          {"applied": ["G0"], "improved": ["G1"], "reward": 1.0},
                          {"improved": ["G7"], "reward": 1.0},
                          {"reward": 1.0}, baseline_min=1)
        self.assertEqual([s.get("error") for s in answer["sessions"]],
                         ["conflicting_labels", "conflicting_labels", "unknown_label", None])
        self.assertEqual(answer["sessions"][3]["verdict"], "insufficient_data")
        self.assertEqual(answer["entries"][0]["usage_count"], 1)

    def test_taubench_rows_become_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "outcomes"))
            with open(os.path.join(folder, "outcomes", "taubench_airline.jsonl"), "w", encoding="utf-8") as file:
                for reward in (0.0, 1.0):
                    file.write(json.dumps({"task": 3, "trial": 0, "reward": reward, "query": "q"}) + "\n")
            answer = ask(do="taubench", data=folder, settings={"baseline": 0.5}, entries=[entry(1), entry(2)],
                         labels=[self.LABELS, self.LABELS[:1]])
        # 0.5 - 0.05 = 0.45, then 0.45 + 0.055 = 0.505 for the first; the second is given once.
        self.assertAlmostEqual(answer["entries"][0]["confidence"], 0.505, places=15)
        self.assertEqual([(e["usage_count"], e["last_improved"]) for e in answer["entries"]], [(2, 2), (1, None)])


class Retrieval(unittest.TestCase):
    """eq:retrieval-score, eq:conf-weighted-score"""

    def rank(self, entries, k=5, **fields):
        request = {"query": [2.0, 0.0], "confidence_weight": 0.2, "min_score": None, "domains": None, "given": []}
        return ask(do="rank", entries=entries, k=k, **{**request, **fields})

    def test_blend(self):
        # similarities 1, 0.6 (3-4-5), 0; scores 0.8 + 0.2 * 0.1 = 0.82, 0.48 + 0.2 * 0.9 = 0.66, 0.2 * 0.5 = 0.1
        entries = [entry(1, (0.0, 1.0)), entry(2, (3.0, 4.0), confidence=0.9), entry(3, (7.0, 0.0), confidence=0.1)]
        answer = self.rank(entries)
        self.assertEqual(ids(answer["guidelines"]), [3, 2, 1])
        for guideline, similarity, score in zip(answer["guidelines"], (1, 0.6, 0), (0.82, 0.66, 0.1)):
            self.assertAlmostEqual(guideline["similarity"], similarity, places=15)
            self.assertAlmostEqual(guideline["score"], score, places=15)
        self.assertEqual((answer["eligible"], answer["shortfall"]), (3, 2))

    def test_ties(self):
        entries = [entry(1, confidence=0.4), entry(2), entry(3), entry(4, epoch=1), entry(5, usage_count=1)]
        self.assertEqual(ids(self.rank(entries)["guidelines"]), [5, 4, 2, 3, 1])
        # Pure similarity: all scores are equal, and confidence is still the first of the ties.
        self.assertEqual(ids(self.rank(entries, confidence_weight=0)["guidelines"]), [5, 4, 2, 3, 1])

    def test_what_is_left_out_is_counted_in_order(self):
        entries = [
            entry(1, domain="web"),                     # filtered by domain
            entry(2), entry(3, text="lesson 9"),        # already given: the entry, and its text
            entry(4, (0.0, 1.0)),                       # 0.1, below the floor
            entry(5, text="twin"), entry(6, text="twin", confidence=0.6), entry(7, (-1.0, 0.0), text="twin"),
        ]
        answer = self.rank(entries, domains=["general"], min_score=0.2,
                           given=[{"id": 2, "text": "old text"}, {"id": 9, "text": "lesson 9"}])
        self.assertEqual([(g["id"], g["same_as"]) for g in answer["guidelines"]], [(6, [5])])
        self.assertEqual([answer[name] for name in (
            "eligible", "filtered_by_domain", "already_given", "below_min_score", "shortfall")], [6, 1, 2, 2, 4])


class CompressionCase(unittest.TestCase):
    def compress(self, strategy, entries, capacity, now=0, **settings):
        return ask(do="compress", strategy=strategy, capacity=capacity, now=now, settings=settings, entries=entries)


class Compression(CompressionCase):
    """Section 6, whatever the strategy"""

    def test_at_capacity_nothing_leaves_and_pins_are_refused(self):
        for strategy in ("diversity", "importance", "temporal", "hybrid"):
            pinned = [entry(1, pinned=True), entry(2, pinned=True), entry(3)]
            self.assertEqual(self.compress(strategy, pinned, 3)["evicted"], [])
            self.assertEqual(ids(self.compress(strategy, pinned, 2)["evicted"]), [3])
            self.assertEqual(self.compress(strategy, pinned, 1), {"error": "capacity_pinned"})

    def test_age_counts_from_the_last_improvement(self):
        old = entry(1, epoch=3, last_improved=8)
        self.assertEqual(oracle.age_of(old, 10, {"age_from": "improved"}), 2)
        self.assertEqual(oracle.age_of(old, 10, {"age_from": "created"}), 7)
        self.assertEqual(oracle.age_of(entry(1, epoch=9, last_improved=8), 10, {"age_from": "improved"}), 1)
        self.assertEqual(oracle.age_of(entry(1, epoch=9), 5, {"age_from": "improved"}), 0)


class Importance(CompressionCase):
    """eq:importance-compression"""

    def test_a_fifth_rounded_up(self):
        # 0.2 * 11 = 2.2, so 3, although one would do; 0.2 * 10 = 2; excess 4 of 10 is more than 2.
        for count, capacity, leave in ((11, 10, 3), (10, 9, 2), (10, 6, 4)):
            entries = [entry(number) for number in range(1, count + 1)]
            self.assertEqual(ids(self.compress("importance", entries, capacity)["evicted"]),
                             list(range(1, leave + 1)))

    def test_a_product_that_rounds_up_is_not_one_more(self):
        # In doubles 0.07 * 100 is 7.000000000000001.
        self.assertGreater(0.07 * 100, 7)
        self.assertEqual(oracle.share_of(0.07, 100), 7)

    def test_the_weakest_and_the_share_of_the_unpinned(self):
        entries = [entry(1), entry(2, usage_count=1), entry(3, epoch=1), entry(4, confidence=0.4, usage_count=9),
                   entry(5, confidence=0.05, pinned=True), entry(6)]
        # m = 5: 0.5 * 5 = 2.5, so 3: confidence first, then usage, then the older, then the lower id.
        self.assertEqual(ids(self.compress("importance", entries, 5, discard_fraction=0.5)["evicted"]), [4, 1, 6])
        self.assertEqual(ids(self.compress("importance", entries, 5, discard_fraction=0)["evicted"]), [4])


class Temporal(CompressionCase):
    """eq:temporal-decay"""

    def test_forty_six_epochs_stay(self):
        # exp(-0.05 * 46) = 0.10026, exp(-0.05 * 47) = 0.09537
        entries = [entry(1, epoch=54), entry(2, epoch=53), entry(3, epoch=53), entry(4, epoch=99)]
        evicted = self.compress("temporal", entries, 3, now=100, max_discard=1)["evicted"]
        self.assertEqual(ids(evicted), [2, 3])
        self.assertAlmostEqual(evicted[0]["time_weight"], 0.0953691622155497, places=15)

    def test_max_discard_bounds_the_expired(self):
        # Ten entries of ages 50 to 59, all below 0.1. Without a bound all go; 0.2 * 10 = 2; an excess of 3 is more.
        entries = [entry(number, epoch=51 - number) for number in range(1, 11)]
        self.assertEqual(len(self.compress("temporal", entries, 9, now=100, max_discard=1)["evicted"]), 10)
        self.assertEqual(ids(self.compress("temporal", entries, 9, now=100)["evicted"]), [10, 9])
        self.assertEqual(ids(self.compress("temporal", entries, 7, now=100)["evicted"]), [10, 9, 8])
        self.assertEqual(ids(self.compress("temporal", entries, 9, now=100, max_discard=0)["evicted"]), [10])

    def test_the_young_fill_up_and_ties_take_the_weaker(self):
        entries = [entry(1, epoch=9), entry(2, epoch=5), entry(3, epoch=5, confidence=0.4), entry(4, epoch=1)]
        self.assertEqual(ids(self.compress("temporal", entries, 2, now=10)["evicted"]), [4, 3])

    def test_ages_whose_weights_underflow_still_differ(self):
        entries = [entry(1, epoch=1), entry(2, epoch=0), entry(3, epoch=2)]
        evicted = self.compress("temporal", entries, 2, now=10 ** 6, min_time_weight=0)["evicted"]
        self.assertEqual(evicted, [{"id": 2, "time_weight": 0.0}])


class Hybrid(CompressionCase):
    """eq:hybrid-utility"""

    # Unit vectors. Squared distances: A-B 0.04 + 0.36 = 0.4; B-C 0.64 + 0.16 = 0.8; A-C 1 + 1 = 2.
    A, B, C = (1.0, 0.0), (0.8, 0.6), (0.0, 1.0)

    def test_three_vectors_by_hand(self):
        # Age 0, so w = 1. d^0.3 = (d^2)^0.15: 0.4^0.15 = exp(0.15 * -0.916291) = 0.871584, 0.8^0.15 = 0.967083.
        # Step 1: U_A = 0.5 * 0.871584 = 0.435792; U_B = 0.6 * 0.871584 = 0.522950; U_C = 0.5 * 0.967083 = 0.483542.
        # A goes. Step 2: B and C are each other's nearest: U_B = 0.6 * 0.967083 = 0.580250, U_C as before. C goes.
        entries = [entry(1, self.A), entry(2, self.B, confidence=0.6), entry(3, self.C)]
        evicted = self.compress("hybrid", entries, 1)["evicted"]
        self.assertEqual(ids(evicted), [1, 3])
        for gone, square, utility in zip(evicted, (0.4, 0.8), (0.435792, 0.483542)):
            self.assertAlmostEqual(gone["distance"], math.sqrt(square), places=15)
            self.assertAlmostEqual(gone["utility"], utility, places=5)
            self.assertEqual(gone["time_weight"], 1.0)

    def test_neighbours_are_updated(self):
        # U_A = 0.5 * 0.8716 = 0.4358, U_B = 0.52 * 0.8716 = 0.4532, U_C = 0.49 * 0.9671 = 0.4739. A goes either way.
        # Each: B's nearest is now C: U_B = 0.52 * 0.9671 = 0.5029, so C goes. Once: B's old figure is the lowest.
        entries = [entry(1, self.A), entry(2, self.B, confidence=0.52), entry(3, self.C, confidence=0.49)]
        self.assertEqual(ids(self.compress("hybrid", entries, 1)["evicted"]), [1, 3])
        self.assertEqual(ids(self.compress("hybrid", entries, 1, rescore="once")["evicted"]), [1, 2])

    def test_equal_entries(self):
        entries = [entry(1, self.A, text="t", confidence=0.9), entry(2, self.A, text="t", confidence=0.8),
                   entry(3, self.C, confidence=0.1)]
        # d = 0 is below everything: 2 is the weaker of the two. Then d(1, 3)^2 = 2, and c decides.
        self.assertEqual(ids(self.compress("hybrid", entries, 1)["evicted"]), [2, 3])
        self.assertEqual(ids(self.compress("hybrid", entries, 1, rescore="once")["evicted"]), [2, 1])
        self.assertEqual(self.compress("hybrid", entries, 2)["evicted"][0]["utility"], 0.0)
        # Exponent 0 switches the distance off: c alone.
        self.assertEqual(ids(self.compress("hybrid", entries, 2, diversity_exponent=0)["evicted"]), [3])

    def test_age(self):
        # w = exp(-0.05 * 10) = 0.606531, its root 0.778801. Both c = 0.5, d^2 = 2, 2^0.15 = 1.109569:
        # U_1 = 0.5 * 0.778801 * 1.109569 = 0.432067
        evicted = self.compress("hybrid", [entry(1, self.A), entry(2, self.C, epoch=10)], 1, now=10)["evicted"]
        self.assertEqual(ids(evicted), [1])
        self.assertAlmostEqual(evicted[0]["time_weight"], 0.606531, places=6)
        self.assertAlmostEqual(evicted[0]["utility"], 0.432067, places=6)

    def test_pinned_neighbours_count_and_none_left_is_two(self):
        entries = [entry(1, self.A, pinned=True), entry(2, self.B, confidence=0.52), entry(3, self.C)]
        # U_2 = 0.52 * 0.8716 = 0.4532 beside the pinned 1; U_3 = 0.5 * 0.9671 = 0.4835
        self.assertEqual(ids(self.compress("hybrid", entries, 2)["evicted"]), [2])
        self.assertEqual(oracle.nearest_distance(entry(1), [entry(1)], {}), 2.0)


class Diversity(CompressionCase):
    """eq:diversity-compression"""

    def line(self, *places, **fields):
        return [entry(number, (float(place), 0.0, 0.0), **fields) for number, place in enumerate(places, 1)]

    def test_ward_on_a_line(self):
        # 0, 1, 4, 9. 0-1 costs 1/2 * 1; then {0,1}-4: 2/3 * 3.5^2 = 8.17, 4-9: 1/2 * 25 = 12.5. So {0,1,4} and {9}.
        # Lloyd: centre 5/3; 4 is 7/3 from it and 5 from 9: nothing moves. Inertia (25 + 4 + 49) / 9 = 26/3.
        answer = self.compress("diversity", self.line(0, 1, 4, 9), 2)
        # Equal confidence, usage and epoch: the stronger is the higher id.
        self.assertEqual(answer["evicted"], [{"id": 1, "cluster": 0, "kept_instead": 3},
                                             {"id": 2, "cluster": 0, "kept_instead": 3}])
        self.assertAlmostEqual(answer["inertia"], 26 / 3, places=14)

    def test_lloyd_moves_a_point_and_ties_go_low(self):
        # 0, 2, 4, 7, 10. 0-2 and 2-4 both cost 2: the lower pair. {0,2}-4: 2/3 * 9 = 6; 4-7 and 7-10 cost 4.5: the
        # lower pair. {4,7}-10: 2/3 * 4.5^2 = 13.5, {0,2}-{4,7}: 1 * 4.5^2 = 20.25. So {0,2} and {4,7,10}.
        points, _ = oracle.as_integers([[0.0], [2.0], [4.0], [7.0], [10.0]])
        start = oracle.ward(points, 2)
        self.assertEqual(start, [0, 0, 1, 1, 1])
        self.assertEqual(oracle.inertia_of(points, start), 2 + 18)
        # Centres 1 and 7; 4 is 3 from both and goes to the lower. Centres 2 and 8.5: nothing moves. 8 + 4.5 = 12.5.
        self.assertEqual(oracle.lloyd(points, start), [0, 0, 0, 1, 1])
        answer = self.compress("diversity", self.line(0, 2, 4, 7, 10), 2)
        self.assertEqual([(gone["id"], gone["cluster"]) for gone in answer["evicted"]], [(1, 0), (2, 0), (4, 1)])
        self.assertEqual(answer["inertia"], 12.5)
        best = ask(do="kmeans_best", points=[[0], [2], [4], [7], [10]], clusters=2)
        self.assertEqual(best, {"inertia": 12.5, "clusters": [0, 0, 0, 1, 1]})

    def test_clusters_are_numbered_by_their_lowest_id(self):
        # Ids 1..4 at 9, 0, 10, 1: {1, 3} is cluster 0, {2, 4} cluster 1; the order of the request means nothing.
        entries = self.line(9, 0, 10, 1)
        entries[0]["confidence"] = 0.6
        evicted = self.compress("diversity", entries[::-1], 2)["evicted"]
        self.assertEqual(evicted, [{"id": 3, "cluster": 0, "kept_instead": 1},
                                   {"id": 2, "cluster": 1, "kept_instead": 4}])

    def test_empty_clusters_stay_empty(self):
        # Three equal points and one other in three clusters: Ward joins 1 and 2 (cost 0, the lowest pair); 3 is as near
        # to cluster 0 as to its own and goes to the lower. Two stay, under the capacity of three.
        answer = self.compress("diversity", self.line(5, 5, 5, 0), 3)
        self.assertEqual(answer["evicted"], [{"id": 1, "cluster": 0, "kept_instead": 3},
                                             {"id": 2, "cluster": 0, "kept_instead": 3}])
        self.assertEqual(answer["inertia"], 0.0)

    def test_pinned_are_outside_the_clusters(self):
        entries = self.line(0, 1, 9) + [entry(4, (0.5, 0.0, 0.0), pinned=True)]
        self.assertEqual(self.compress("diversity", entries, 3)["evicted"],
                         [{"id": 1, "cluster": 0, "kept_instead": 2}])
        # No place beside the pins, so no cluster: everything unpinned leaves, weaker first.
        entries[0]["confidence"] = 0.9
        self.assertEqual(self.compress("diversity", entries, 1), {"evicted": [{"id": 2}, {"id": 3}, {"id": 1}],
                                                                 "inertia": None})

    def test_no_clustering_is_better_than_the_best(self):
        self.assertEqual([len(list(oracle.partitions(count, count))) for count in range(5)], [1, 1, 2, 5, 15])  # Bell
        source = random.Random(7)
        for _ in range(20):
            places = [[source.random(), source.random()] for _ in range(6)]
            entries = [entry(number, place) for number, place in enumerate(places, 1)]
            best = ask(do="kmeans_best", points=places, clusters=3)["inertia"]
            self.assertGreaterEqual(self.compress("diversity", entries, 3)["inertia"], best)


class Update(unittest.TestCase):
    """alg:memory-update"""

    def update(self, operations, entries=(), epoch=7, on_invalid="reject", **settings):
        library = {"next_id": max(ids(entries), default=0) + 1, "epoch": epoch, "entries": list(entries)}
        for operation in operations:
            if "text" in operation:
                operation.setdefault("embedding", [0.0, 1.0])
        return ask(do="update", settings=settings, library=library, operations=operations, on_invalid=on_invalid)

    def test_the_four_operations(self):
        entries = [entry(1, confidence=0.7, usage_count=2, successes=2, last_improved=4),
                   entry(2, confidence=0.6, usage_count=3, failures=1, last_improved=5, pinned=True),
                   entry(3, usage_count=4, epoch=2), entry(4)]
        answer = self.update([
            {"op": "add", "text": "  new\n lesson ", "domain": "Web", "confidence": 0.99},
            {"op": "modify", "id": 3, "text": "renewed"},
            {"op": "delete", "id": 4},
            {"op": "merge", "ids": [2, 1], "text": "both"},
            {"op": "modify", "id": 5, "domain": "shop"},
        ], entries)
        self.assertEqual(answer["applied"], [
            {"index": 0, "op": "add", "id": 5}, {"index": 1, "op": "modify", "id": 3},
            {"index": 2, "op": "delete", "id": 4}, {"index": 3, "op": "merge", "id": 6, "ids": [2, 1]},
            {"index": 4, "op": "modify", "id": 5}])
        renewed, new, merged = answer["library"]["entries"]
        self.assertEqual((renewed["text"], renewed["epoch"], renewed["usage_count"]), ("renewed", 7, 4))
        self.assertEqual((new["text"], new["domain"], new["confidence"], new["epoch"]), ("new lesson", "shop", 0.95, 7))
        self.assertEqual([merged[name] for name in (
            "confidence", "usage_count", "successes", "failures", "last_improved", "pinned", "epoch")],
            [0.7, 5, 2, 1, 5, True, 7])
        self.assertEqual((answer["size"], answer["library"]["next_id"]), (3, 7))

    def test_a_modify_that_keeps_the_text_keeps_the_epoch(self):
        answer = self.update([{"op": "modify", "id": 1, "text": " lesson  1", "source": "me"}], [entry(1, epoch=2)])
        self.assertEqual([answer["library"]["entries"][0][name] for name in ("epoch", "source")], [2, "me"])

    def test_faults_in_the_contracts_order(self):
        entries = [entry(1), entry(2, domain="web"), entry(3), entry(4)]
        long = " ".join(["word"] * 33)
        operations = [
            {"op": "delete", "id": 4},
            {"op": "merge", "ids": [4, 9], "text": ""},
            {"op": "merge", "ids": [4, 4], "text": ""},
            {"op": "merge", "ids": [1, 1], "text": ""},
            {"op": "merge", "ids": [1], "text": ""},
            {"op": "merge", "ids": [1, 2], "text": ""},
            {"op": "add", "text": "", "domain": "a b", "confidence": 1},
            {"op": "add", "text": "", "confidence": 1},
            {"op": "add", "text": " "},
            {"op": "add", "text": long},
            {"op": "modify", "id": 1, "text": "lesson 3"},
            {"op": "merge", "ids": [1, 2], "text": "lesson 3", "domain": "general"},
            {"op": "merge", "ids": [1, 3], "text": "lesson 3"},
        ]
        codes = ["unknown_id", "left_earlier", "equal_ids", "too_few_ids", "domain_required", "bad_domain",
                 "bad_confidence", "empty_text", "too_many_words", "duplicate_text", "duplicate_text"]
        faults = [{"index": index, "code": code} for index, code in enumerate(codes, 1)]
        self.assertEqual(self.update(operations, entries), {"faults": faults})
        answer = self.update(operations, entries, on_invalid="skip")
        self.assertEqual(answer["skipped"], faults)
        # A merge's own parents don't count, and skipped operations used up no id.
        self.assertEqual([(item["index"], item["id"]) for item in answer["applied"]], [(0, 4), (12, 5)])
        self.assertEqual([(e["id"], e["text"]) for e in answer["library"]["entries"]],
                         [(2, "lesson 2"), (5, "lesson 3")])

    def test_duplicates_are_judged_at_their_turn(self):
        answer = self.update([{"op": "add", "text": "lesson  1"}, {"op": "add", "text": "lesson 1", "domain": "web"},
                              {"op": "delete", "id": 1}, {"op": "add", "text": "lesson 1"}], [entry(1)])
        self.assertEqual(answer["duplicates"], [{"index": 0, "id": 1}])
        self.assertEqual([(item["index"], item["id"]) for item in answer["applied"]], [(1, 2), (2, 1), (3, 3)])

    def test_similar_as_the_list_leaves_the_library(self):
        # cos((3, 4), (0, 1)) = 0.8, cos((3, 4), (4, 3)) = 24/25 = 0.96
        answer = self.update([{"op": "add", "text": "x", "embedding": [3.0, 4.0]},
                              {"op": "add", "text": "y", "embedding": [4.0, 3.0]},
                              {"op": "add", "text": "z", "embedding": [-1.0, 0.0]}], [entry(1, (0.0, 1.0))])
        self.assertEqual(answer["similar"], [{"id": 2, "of": 3, "similarity": 0.96},
                                             {"id": 3, "of": 2, "similarity": 0.96}])
        # Ties: the lower id.
        answer = self.update([{"op": "add", "text": "x", "embedding": [5.0, 0.0]}], [entry(1), entry(2)])
        self.assertEqual(answer["similar"], [{"id": 3, "of": 1, "similarity": 1.0}])

    def test_what_the_list_wrote_is_spared(self):
        entries = [entry(1, confidence=0.9), entry(2, confidence=0.8)]
        new = [{"op": "add", "text": "x"}]
        settings = {"capacity": 2, "strategy": "importance"}
        self.assertEqual(ids(self.update(new, entries, **settings)["evicted"]), [2])
        self.assertEqual(ids(self.update(new, entries, spare_new=False, **settings)["evicted"]), [3])

    def test_more_new_than_there_is_place(self):
        new = [{"op": "add", "text": "x", "confidence": 0.4}, {"op": "add", "text": "y"}]
        settings = {"capacity": 2, "strategy": "importance"}
        # One pinned and two new exceed two: only the pinned is spared, and one of the new finds a place.
        answer = self.update(new, [entry(1, pinned=True), entry(2, confidence=0.3)], **settings)
        self.assertEqual((ids(answer["evicted"]), answer["size"]), ([2, 3], 2))
        # Two pinned leave no place for any of the new; without sparing the new one simply goes.
        full = [entry(1, pinned=True), entry(2, pinned=True)]
        self.assertEqual(self.update(new[:1], full, **settings), {"error": "capacity_pinned"})
        self.assertEqual(ids(self.update(new[:1], full, spare_new=False, **settings)["evicted"]), [3])


class Protocol(unittest.TestCase):
    def test_one_answer_a_line(self):
        lines = '{"do": "kmeans_best", "points": [[0.5], [1.5]], "clusters": 1}\nnot json\n'
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docet_oracle.py")
        done = subprocess.run([sys.executable, program], input=lines, capture_output=True, text=True, check=True)
        first, second = map(json.loads, done.stdout.splitlines())
        # Both points are 0.5 from their mean: 0.25 + 0.25
        self.assertEqual(first, {"inertia": 0.5, "clusters": [0, 0]})
        self.assertEqual(second["error"], "oracle_failed")


if __name__ == "__main__":
    unittest.main()
