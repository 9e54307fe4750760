"""An independent oracle for Docet: the rules of its specification, computed the slow and obvious way.

Written from the specification alone ("section" below means a section of it, `eq:` and `alg:` are labels of its source).
Reads one JSON request a line on standard input, answers one JSON line each. Standard library only.

Everything is recomputed at each step. Sums of doubles go through `math.fsum`; clustering is done in exact integers,
so its ties are true ties of the numbers given and never an accident of rounding.
"""

import json
import math
import os
import re
import sys
import traceback
from fractions import Fraction

DEFAULTS = {
    "capacity": 500, "strategy": "hybrid", "similar_at": 0.85, "spare_new": True,
    "initial_confidence": 0.5, "min_confidence": 0.05, "max_confidence": 0.95, "learning_rate": 0.1,
    "tie": "no_evidence", "baseline": "running", "baseline_window": 100, "baseline_min": 5,
    "discard_fraction": 0.2, "max_discard": 0.2, "decay_rate": 0.05, "min_time_weight": 0.1, "age_from": "improved",
    "utility_scale": 1.0, "confidence_exponent": 1.0, "recency_exponent": 0.5, "diversity_exponent": 0.3,
    "rescore": "each",
}
TIE_WITHIN = 1e-9
LARGEST_DISTANCE = 2.0
LLOYD_ROUNDS = 100
WARD_LIMIT = 5000


class Refused(Exception):
    """The whole request is refused with one code of the contract."""


def with_defaults(settings):
    """The contract's defaults, overridden by what the request gives."""
    return {**DEFAULTS, **(settings or {})}


# --- vectors -------------------------------------------------------------------------------------------------------


def dot_product(left, right):
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def cosine(left, right):
    """Section 3, eq:retrieval-score: q.v / (|q||v|). One root, so that equal vectors give exactly 1."""
    norms = math.sqrt(dot_product(left, left) * dot_product(right, right))
    return dot_product(left, right) / norms if norms > 0 else 0.0


# --- retrieval -----------------------------------------------------------------------------------------------------


def rank(request):
    """Section 3, eq:retrieval-score and eq:conf-weighted-score: filter first, then blend, then take the K best."""
    entries, weight, floor = request["entries"], request["confidence_weight"], request.get("min_score")
    domains = request.get("domains")
    given_ids = {given["id"] for given in request.get("given") or []}
    given_texts = {given["text"] for given in request.get("given") or []}

    # D_x empty means that every domain is eligible.
    eligible = [entry for entry in entries if not domains or entry["domain"] in domains]
    fresh = [entry for entry in eligible if entry["id"] not in given_ids and entry["text"] not in given_texts]

    scored = []
    for entry in fresh:
        similarity = cosine(request["query"], entry["embedding"])
        score = (1 - weight) * similarity + weight * entry["confidence"]
        scored.append((entry, similarity, score))
    above_floor = [item for item in scored if floor is None or item[2] >= floor]
    above_floor.sort(key=lambda item: (
        -item[2], -item[0]["confidence"], -item[0]["usage_count"], -item[0]["epoch"], item[0]["id"]))

    guidelines, by_text = [], {}
    for entry, similarity, score in above_floor:
        if entry["text"] in by_text:
            by_text[entry["text"]]["same_as"].append(entry["id"])
        else:
            guideline = {"id": entry["id"], "similarity": similarity, "score": score, "same_as": []}
            by_text[entry["text"]] = guideline
            guidelines.append(guideline)
    guidelines = guidelines[:request["k"]]

    return {
        "guidelines": guidelines,
        "eligible": len(eligible),
        "filtered_by_domain": len(entries) - len(eligible),
        "already_given": len(eligible) - len(fresh),
        "below_min_score": len(scored) - len(above_floor),
        "shortfall": request["k"] - len(guidelines),
    }


# --- compression ---------------------------------------------------------------------------------------------------


def strength(entry):
    """Section 6, "weaker": lower c, then lower u, then older k, then lower id. The least of these is the weakest."""
    return (entry["confidence"], entry["usage_count"], entry["epoch"], entry["id"])


def age_of(entry, now, settings):
    """Section 6, "age": now - k, never below 0; from `last_improved` where that is later and `age_from` says so."""
    start = entry["epoch"]
    if settings["age_from"] == "improved" and entry.get("last_improved") is not None:
        start = max(start, entry["last_improved"])
    return max(now - start, 0)


def time_weight_of(entry, now, settings):
    """Section 6, eq:temporal-decay: w = exp(-r age)."""
    return math.exp(-settings["decay_rate"] * age_of(entry, now, settings))


def share_of(fraction, count):
    """Section 6: ceil(p m - 1e-9)."""
    return math.ceil(fraction * count - 1e-9)


def compress_importance(entries, unpinned, capacity, now, settings):
    """Section 6, eq:importance-compression: drop the weakest max(ceil(p m - 1e-9), n - capacity) unpinned."""
    count = max(share_of(settings["discard_fraction"], len(unpinned)), len(entries) - capacity)
    return [{"id": entry["id"]} for entry in sorted(unpinned, key=strength)[:count]]


def compress_temporal(entries, unpinned, capacity, now, settings):
    """Section 6, eq:temporal-decay: of those below the least weight the oldest go, at most a bounded number of them;
    then the oldest until at capacity. Compared as age; ties: the weaker."""
    excess = len(entries) - capacity
    bound = max(share_of(settings["max_discard"], len(unpinned)), excess)
    oldest_first = sorted(unpinned, key=lambda entry: (-age_of(entry, now, settings), strength(entry)))

    def expired(entry):
        """w < min_time_weight, taken as r age > -ln(min_time_weight)."""
        least = settings["min_time_weight"]
        return least > 0 and settings["decay_rate"] * age_of(entry, now, settings) > -math.log(least)

    leaving = [entry for entry in oldest_first if expired(entry)][:bound]
    staying = [entry for entry in oldest_first if entry not in leaving]
    too_many = max(excess - len(leaving), 0)
    leaving += staying[:too_many]
    return [{"id": entry["id"], "time_weight": time_weight_of(entry, now, settings)} for entry in leaving]


def distance_between(left, right):
    """Section 6: the Euclidean distance, exactly 0 for equal texts (`math.dist` is right to the last bit or so)."""
    return 0.0 if left["text"] == right["text"] else math.dist(left["embedding"], right["embedding"])


def nearest_distance(entry, library, distances):
    """Section 6: the distance to the nearest other entry of `library`, 2 where there is no other."""
    return min((distances[entry["id"], other["id"]] for other in library if other["id"] != entry["id"]),
               default=LARGEST_DISTANCE)


def log_utility(entry, distance, now, settings):
    """Section 6, eq:hybrid-utility: ln(U / a) = b ln c + g ln w + d ln(distance). An exponent of 0 switches its factor
    off. The scale a cannot change an order, so it is left to the figure that is shown."""
    terms = []
    if settings["confidence_exponent"] != 0:
        terms.append(settings["confidence_exponent"] * math.log(entry["confidence"]))
    if settings["recency_exponent"] != 0:
        terms.append(settings["recency_exponent"] * -settings["decay_rate"] * age_of(entry, now, settings))
    if settings["diversity_exponent"] != 0:
        if distance == 0:
            return -math.inf
        terms.append(settings["diversity_exponent"] * math.log(distance))
    return math.fsum(terms)


def compress_hybrid(entries, unpinned, capacity, now, settings):
    """Section 6, eq:hybrid-utility: drop the lowest utility, look again at all that are left, until at capacity.
    With `rescore` = "once" every utility is that of the whole library at the start. Ties: the weaker."""
    distances = {(left["id"], right["id"]): distance_between(left, right) for left in entries for right in entries}
    library, candidates, evicted = list(entries), list(unpinned), []
    while len(library) > capacity:
        neighbours = library if settings["rescore"] == "each" else entries
        nearest = {entry["id"]: nearest_distance(entry, neighbours, distances) for entry in candidates}
        utility = {entry["id"]: log_utility(entry, nearest[entry["id"]], now, settings) for entry in candidates}
        lowest = min(candidates, key=lambda entry: (utility[entry["id"]], strength(entry)))
        evicted.append({
            "id": lowest["id"],
            "time_weight": time_weight_of(lowest, now, settings),
            "distance": nearest[lowest["id"]],
            "utility": settings["utility_scale"] * math.exp(utility[lowest["id"]]),
        })
        library = [entry for entry in library if entry is not lowest]
        candidates = [entry for entry in candidates if entry is not lowest]
    return evicted


def compress_diversity(entries, unpinned, capacity, now, settings):
    """Section 6, eq:diversity-compression: k-means on the unpinned; of each cluster the strongest stays.
    Order of leaving: by cluster number, weaker first within a cluster. Answers the inertia beside the evicted."""
    pins = len(entries) - len(unpinned)
    if capacity == pins:
        return [{"id": entry["id"]} for entry in sorted(unpinned, key=strength)], None
    by_id = sorted(unpinned, key=lambda entry: entry["id"])
    points, scale = as_integers([entry["embedding"] for entry in by_id])
    numbers = lloyd(points, ward(points, capacity - pins))
    evicted = []
    for number in range(capacity - pins):
        cluster = sorted((entry for entry, own in zip(by_id, numbers) if own == number), key=strength)
        for entry in cluster[:-1]:
            evicted.append({"id": entry["id"], "cluster": number, "kept_instead": cluster[-1]["id"]})
    return evicted, float(inertia_of(points, numbers) / scale ** 2)


def compress(entries, strategy, capacity, now, settings, pinned_ids):
    """Section 6: who leaves, in the order of leaving, and the inertia where there was a clustering (else None)."""
    unpinned = [entry for entry in entries if entry["id"] not in pinned_ids]
    if len(entries) - len(unpinned) > capacity:
        raise Refused("capacity_pinned")
    if len(entries) <= capacity:
        return [], None
    if strategy == "diversity":
        return compress_diversity(entries, unpinned, capacity, now, settings)
    compress_by = {"importance": compress_importance, "temporal": compress_temporal, "hybrid": compress_hybrid}
    return compress_by[strategy](entries, unpinned, capacity, now, settings), None


def answer_compress(request):
    """The request `compress`."""
    pinned_ids = {entry["id"] for entry in request["entries"] if entry.get("pinned")}
    evicted, inertia = compress(request["entries"], request["strategy"], request["capacity"], request["now"],
                                with_defaults(request.get("settings")), pinned_ids)
    answer = {"evicted": evicted}
    if request["strategy"] == "diversity":
        answer["inertia"] = inertia
    return answer


# --- clustering, in exact integers ---------------------------------------------------------------------------------


def as_integers(vectors):
    """The vectors times the least power of two that makes every coordinate a whole number, and that power."""
    scale = max(coordinate.as_integer_ratio()[1] for vector in vectors for coordinate in vector)
    points = []
    for vector in vectors:
        ratios = [coordinate.as_integer_ratio() for coordinate in vector]
        points.append([numerator * (scale // denominator) for numerator, denominator in ratios])
    return points, scale


def sum_of(points):
    """The sum of the points; divided by their number it is their centre, the arithmetic mean."""
    return [sum(coordinates) for coordinates in zip(*points, strict=True)]


def ward_increase(first_sum, first_size, second_sum, second_size):
    """Section 6, Ward's merging: |A||B|/(|A|+|B|) ||centre A - centre B||^2, written with sums in place of centres."""
    square = sum((second_size * a - first_size * b) ** 2 for a, b in zip(first_sum, second_sum, strict=True))
    return Fraction(square, first_size * second_size * (first_size + second_size))


def ward(points, count):
    """Section 6, diversity's start: merge the pair with the least increase until `count` clusters are left.

    Points come in order of id, so a cluster's lowest member stands for its lowest id. Ties: the pair with the lowest
    (lowest id of first, lowest id of second). Answers each point's cluster number, numbered by lowest id."""
    if len(points) > WARD_LIMIT:
        raise ValueError(f"this oracle starts k-means by Ward's merging alone, up to {WARD_LIMIT} points")
    clusters = [(index,) for index in range(len(points))]
    sums = {cluster: points[cluster[0]] for cluster in clusters}
    increases = {}  # of two sets of points, which never changes: remembered, not updated
    while len(clusters) > count:
        best = None
        for position, first in enumerate(clusters):
            for second in clusters[position + 1:]:
                if (first, second) not in increases:
                    increases[first, second] = ward_increase(sums[first], len(first), sums[second], len(second))
                # Pairs are visited in order of (lowest of first, lowest of second): the first of equals stands.
                if best is None or increases[first, second] < best[0]:
                    best = (increases[first, second], first, second)
        _, first, second = best
        merged = tuple(sorted(first + second))
        sums[merged] = sum_of([points[index] for index in merged])
        clusters = sorted([cluster for cluster in clusters if cluster not in (first, second)] + [merged])
    return [next(number for number, cluster in enumerate(clusters) if index in cluster)
            for index in range(len(points))]


def lloyd(points, numbers):
    """Section 6, Lloyd until nothing moves: at most 100 rounds, ties to the lower centre, empty clusters stay empty."""
    count = max(numbers) + 1
    for _ in range(LLOYD_ROUNDS):
        centres = []
        for number in range(count):
            members = [point for point, own in zip(points, numbers) if own == number]
            centres.append((sum_of(members), len(members)) if members else None)
        moved = [nearest_centre(point, centres) for point in points]
        if moved == numbers:
            break
        numbers = moved
    return numbers


def nearest_centre(point, centres):
    """The number of the nearest centre, the lowest of equals; an empty cluster has none."""
    best_number, best_square = None, None
    for number, centre in enumerate(centres):
        if centre is None:
            continue
        total, size = centre
        square = Fraction(sum((size * a - b) ** 2 for a, b in zip(point, total, strict=True)), size ** 2)
        if best_square is None or square < best_square:
            best_number, best_square = number, square
    return best_number


def inertia_of(points, numbers):
    """The sum of squared distances of the points to the means of their own clusters."""
    inertia = Fraction(0)
    for number in set(numbers):
        members = [point for point, own in zip(points, numbers) if own == number]
        total, size = sum_of(members), len(members)
        for point in members:
            inertia += Fraction(sum((size * a - b) ** 2 for a, b in zip(point, total)), size ** 2)
    return inertia


def partitions(count, most):
    """Every way to part `count` points into at most `most` clusters, as numbers (first seen, first numbered)."""
    if count == 0:
        yield []
        return
    for numbers in partitions(count - 1, most):
        for number in range(min(max(numbers, default=-1) + 2, most)):
            yield numbers + [number]


def kmeans_best(request):
    """The least inertia that any clustering into at most `clusters` clusters has: tried one by one."""
    if len(request["points"]) > 9:
        raise ValueError("at most 9 points: every partition is tried")
    points, scale = as_integers(request["points"])
    best = min(partitions(len(points), request["clusters"]), key=lambda numbers: inertia_of(points, numbers))
    return {"inertia": float(inertia_of(points, best) / scale ** 2), "clusters": best}


# --- sessions ------------------------------------------------------------------------------------------------------


def updated_confidence(confidence, verdict, settings):
    """Section 2, eq:confidence-update; where a setting has moved a bound past c, success never lowers c and failure
    never raises it. Without evidence c stays."""
    rate = settings["learning_rate"]
    if verdict == "improved":
        return max(confidence, min(confidence + rate * (1 - confidence), settings["max_confidence"]))
    if verdict == "not_improved":
        return min(confidence, max(confidence - rate * confidence, settings["min_confidence"]))
    return confidence


def compare(reward, baseline, settings):
    """Section 2: above the baseline is improved, below is not, a tie within 1e-9 is what `tie` says."""
    if abs(reward - baseline) <= TIE_WITHIN:
        return settings["tie"]
    return "improved" if reward > baseline else "not_improved"


def baseline_for(session, word, earlier_rewards, settings):
    """Section 2, steps 2 and 3: the baseline and where it is from. `earlier_rewards` are (group, reward) in order."""
    if session.get("baseline") is not None:
        return session["baseline"], "caller"
    if word is not None or session.get("reward") is None:
        return None, None
    if settings["baseline"] != "running":
        return settings["baseline"], "setting"
    same_group = [reward for group, reward in earlier_rewards if group == session.get("group")]
    last = same_group[-settings["baseline_window"]:]
    if len(last) < settings["baseline_min"]:
        return None, "running"
    return math.fsum(last) / len(last), "running"


def check_labels(session, applied, improved, not_improved):
    """Section 2, step 1: a label named in two lists, or named but not applied, is refused; so is an unknown one."""
    known = {label["label"] for label in session["labels"]}
    if not (set(applied) | set(improved) | set(not_improved)) <= known:
        raise Refused("unknown_label")
    if session.get("improved") is True and session.get("not_improved") is True:
        raise Refused("conflicting_labels")
    if set(improved) & set(not_improved) or not (set(improved) | set(not_improved)) <= set(applied):
        raise Refused("conflicting_labels")


def end_session(session, entries, earlier_rewards, settings):
    """Sections 2 and 4: one session's end. `entries` is a dict by id and is changed; a refusal changes nothing."""
    improved = session["improved"] if isinstance(session.get("improved"), list) else []
    not_improved = session["not_improved"] if isinstance(session.get("not_improved"), list) else []
    everything = [label["label"] for label in session["labels"]]
    applied = everything if session.get("applied") is None else session["applied"]
    check_labels(session, applied, improved, not_improved)

    word = None
    if session.get("improved") is True:
        word = "improved"
    if session.get("not_improved") is True:
        word = "not_improved"

    reward = session.get("reward")
    baseline, baseline_from = baseline_for(session, word, earlier_rewards, settings)
    if word is not None:
        own_verdict = word
    elif reward is None:
        own_verdict = "no_evidence"
    elif baseline is None:
        own_verdict = "insufficient_data"
    else:
        own_verdict = compare(reward, baseline, settings)

    verdicts, updates, gone = [], [], []
    for label in session["labels"]:
        if label["label"] not in applied:
            continue
        if label["label"] in improved:
            verdict = "improved"
        elif label["label"] in not_improved:
            verdict = "not_improved"
        else:
            verdict = own_verdict
        verdicts.append(verdict)
        if label["id"] not in entries:
            gone.append(label["id"])
            continue
        entry = entries[label["id"]]
        before = entry["confidence"]
        entry["confidence"] = updated_confidence(before, verdict, settings)
        entry["usage_count"] += 1
        if verdict == "improved":
            entry["successes"] += 1
            last = entry.get("last_improved")
            entry["last_improved"] = session["epoch"] if last is None else max(last, session["epoch"])
        if verdict == "not_improved":
            entry["failures"] += 1
        updates.append({"id": entry["id"], "label": label["label"], "verdict": verdict, "before": before,
                        "after": entry["confidence"], "usage_count": entry["usage_count"]})

    if not verdicts:
        shared = own_verdict
    else:
        shared = verdicts[0] if len(set(verdicts)) == 1 else "mixed"
    return {"verdict": shared, "reward": reward, "baseline": baseline, "baseline_from": baseline_from,
            "updates": updates, "gone": gone}


def sessions(request):
    """Section 2 over a whole history: sessions end in the order given; each reward counts for those that follow."""
    settings = with_defaults(request.get("settings"))
    entries = {entry["id"]: dict(entry) for entry in request["entries"]}
    earlier_rewards, answers = [], []
    for session in request["sessions"]:
        try:
            answers.append(end_session(session, entries, earlier_rewards, settings))
        except Refused as refusal:
            answers.append({"error": str(refusal)})
            continue
        if session.get("reward") is not None:
            earlier_rewards.append((session.get("group"), session["reward"]))
    return {"sessions": answers, "entries": [entries[entry_id] for entry_id in sorted(entries)]}


def taubench(request):
    """Section 2 on real rewards: outcomes/taubench_airline.jsonl of the test data, one session a row, epochs from 1.

    `labels` holds what was handed out, one list a session; `group_by_task` makes each task a group of its own."""
    folder = request.get("data") or os.environ["DOCET_TEST_DATA"]
    with open(os.path.join(folder, "outcomes", "taubench_airline.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if len(request["labels"]) > len(rows):
        raise ValueError(f"labels for {len(request['labels'])} sessions, but {len(rows)} rows")
    replayed = [
        {"epoch": number, "group": str(row["task"]) if request.get("group_by_task") else None, "labels": labels,
         "reward": row["reward"]}
        for number, (row, labels) in enumerate(zip(rows, request["labels"]), start=1)
    ]
    return sessions({"settings": request.get("settings"), "entries": request["entries"], "sessions": replayed})


# --- operations ----------------------------------------------------------------------------------------------------


def normalised(text):
    """Section 1, "Text", as far as plain ASCII needs it: runs of white space become one space, trimmed."""
    return " ".join(text.split())


class OperationList:
    """Section 5, alg:memory-update: the library while an ordered list of operations runs over it."""

    def __init__(self, library, settings):
        self.settings = settings
        self.now = library["epoch"]
        self.next_id = library["next_id"]
        self.entries = {entry["id"]: dict(entry) for entry in library["entries"]}
        self.left = set()
        self.touched = []  # ids that the list added, modified or merged, in order of the first time
        self.applied, self.faults, self.duplicates = [], [], []

    def run(self, operations):
        for index, operation in enumerate(operations):
            code = self.fault_of(operation)
            if code is not None:
                self.faults.append({"index": index, "code": code})
                continue
            {"add": self.add, "modify": self.modify, "delete": self.delete, "merge": self.merge}[operation["op"]](
                index, operation)

    # What may be wrong, tried in the order of the contract's codes.

    def fault_of(self, operation):
        """The first fault that applies to the operation at its turn, or None."""
        ids = self.ids_of(operation)
        if any(entry_id not in self.entries and entry_id not in self.left for entry_id in ids):
            return "unknown_id"
        if any(entry_id in self.left for entry_id in ids):
            return "left_earlier"
        if operation["op"] == "merge":
            if len(set(ids)) < len(ids):
                return "equal_ids"
            if len(ids) < 2:
                return "too_few_ids"
            if operation.get("domain") is None and len({self.entries[entry_id]["domain"] for entry_id in ids}) > 1:
                return "domain_required"
        domain = operation.get("domain")
        if domain is not None and not re.fullmatch(r"[a-z0-9._/-]{1,64}", domain.lower()):
            return "bad_domain"
        confidence = operation.get("confidence")
        if confidence is not None and not 0 < confidence < 1:
            return "bad_confidence"
        if operation.get("text") is not None:
            text = normalised(operation["text"])
            if text == "":
                return "empty_text"
            if len(text.split(" ")) > 32:
                return "too_many_words"
            if len(text) > 1000:
                return "too_long"
        if operation["op"] in ("modify", "merge") and self.equal_to(*self.outcome_of(operation), without=ids):
            return "duplicate_text"
        return None

    @staticmethod
    def ids_of(operation):
        if operation["op"] == "merge":
            return operation["ids"]
        return [operation["id"]] if operation["op"] in ("modify", "delete") else []

    def outcome_of(self, operation):
        """The text and the domain that the operation's entry will have."""
        text, domain = operation.get("text"), operation.get("domain")
        if operation["op"] == "add":
            domain = "general" if domain is None else domain
        else:
            # A modified entry keeps what is not named; a merge without a domain has parents of one domain.
            present = self.entries[self.ids_of(operation)[0]]
            text = present["text"] if text is None else text
            domain = present["domain"] if domain is None else domain
        return normalised(text), domain.lower()

    def equal_to(self, text, domain, without=()):
        """The lowest entry with that text in that domain, but for the ids in `without`; None where there is none."""
        equal = [entry for entry in self.entries.values()
                 if entry["id"] not in without and entry["text"] == text and entry["domain"] == domain]
        return min(equal, key=lambda entry: entry["id"], default=None)

    # What each operation does.

    def touch(self, entry_id):
        if entry_id not in self.touched:
            self.touched.append(entry_id)

    def enter(self, entry):
        self.entries[entry["id"]] = entry
        self.next_id += 1
        self.touch(entry["id"])

    def leave(self, entry_id):
        del self.entries[entry_id]
        self.left.add(entry_id)

    def add(self, index, operation):
        text, domain = self.outcome_of(operation)
        equal = self.equal_to(text, domain)
        if equal is not None:
            self.duplicates.append({"index": index, "id": equal["id"]})
            return
        confidence = operation.get("confidence")
        if confidence is None:
            confidence = self.settings["initial_confidence"]
        confidence = min(max(confidence, self.settings["min_confidence"]), self.settings["max_confidence"])
        entry = {
            "id": self.next_id, "text": text, "domain": domain, "confidence": confidence, "usage_count": 0,
            "epoch": self.now, "successes": 0, "failures": 0, "last_improved": None,
            "pinned": bool(operation.get("pinned")), "source": operation.get("source"),
            "embedding": operation["embedding"],
        }
        self.enter(entry)
        self.applied.append({"index": index, "op": "add", "id": entry["id"]})

    def modify(self, index, operation):
        entry = self.entries[operation["id"]]
        text, domain = self.outcome_of(operation)
        if text != entry["text"]:
            entry.update(text=text, embedding=operation["embedding"], epoch=self.now)
        entry["domain"] = domain
        if operation.get("source") is not None:
            entry["source"] = operation["source"]
        if operation.get("pinned") is not None:
            entry["pinned"] = operation["pinned"]
        self.touch(entry["id"])
        self.applied.append({"index": index, "op": "modify", "id": entry["id"]})

    def delete(self, index, operation):
        self.leave(operation["id"])
        self.applied.append({"index": index, "op": "delete", "id": operation["id"]})

    def merge(self, index, operation):
        parents = [self.entries[entry_id] for entry_id in operation["ids"]]
        text, domain = self.outcome_of(operation)
        improved = [parent["last_improved"] for parent in parents if parent.get("last_improved") is not None]
        entry = {
            "id": self.next_id, "text": text, "domain": domain,
            "confidence": max(parent["confidence"] for parent in parents),
            "usage_count": sum(parent["usage_count"] for parent in parents),
            "epoch": self.now,
            "successes": sum(parent["successes"] for parent in parents),
            "failures": sum(parent["failures"] for parent in parents),
            "last_improved": max(improved, default=None),
            "pinned": any(parent["pinned"] for parent in parents),
            "source": operation.get("source"),
            "embedding": operation["embedding"],
        }
        for parent in parents:
            self.leave(parent["id"])
        self.enter(entry)
        self.applied.append({"index": index, "op": "merge", "id": entry["id"], "ids": operation["ids"]})

    # What follows the list.

    def new_ids(self):
        """What the list added, modified or merged and did not take out again."""
        return [entry_id for entry_id in self.touched if entry_id in self.entries]

    def similar(self):
        """Section 5: each new entry whose nearest other (ties: lower id) has a cosine of `similar_at` or more."""
        found = []
        for entry_id in self.new_ids():
            own = self.entries[entry_id]["embedding"]
            others = [(cosine(own, other["embedding"]), -other_id)
                      for other_id, other in self.entries.items() if other_id != entry_id]
            if others and max(others)[0] >= self.settings["similar_at"]:
                similarity, negative_id = max(others)
                found.append({"id": entry_id, "of": -negative_id, "similarity": similarity})
        return found

    def protected_ids(self):
        """Section 5: what the list wrote counts as pinned, unless that and the pinned exceed capacity together; where
        the pinned leave no place for any of the new, the call is refused."""
        pinned = {entry_id for entry_id, entry in self.entries.items() if entry["pinned"]}
        unpinned_new = set(self.new_ids()) - pinned
        if not self.settings["spare_new"] or not unpinned_new:
            return pinned
        if len(pinned | unpinned_new) <= self.settings["capacity"]:
            return pinned | unpinned_new
        if len(pinned) >= self.settings["capacity"]:
            raise Refused("capacity_pinned")
        return pinned

    def compress(self):
        """Section 5: more than `capacity` after the list is compressed to capacity. Answers who left."""
        if len(self.entries) <= self.settings["capacity"]:
            return []
        evicted, _ = compress(list(self.entries.values()), self.settings["strategy"], self.settings["capacity"],
                              self.now, self.settings, self.protected_ids())
        for gone in evicted:
            del self.entries[gone["id"]]
        return evicted


def update(request):
    """Section 5, alg:memory-update: the list in order, all or nothing unless told to skip; then compression."""
    work = OperationList(request["library"], with_defaults(request.get("settings")))
    work.run(request["operations"])
    if work.faults and request.get("on_invalid", "reject") == "reject":
        return {"faults": work.faults}
    similar = work.similar()
    evicted = work.compress()
    entries = [{name: value for name, value in work.entries[entry_id].items() if name != "embedding"}
               for entry_id in sorted(work.entries)]
    return {
        "applied": work.applied, "skipped": work.faults, "duplicates": work.duplicates, "similar": similar,
        "evicted": evicted, "size": len(entries),
        "library": {"next_id": work.next_id, "epoch": work.now, "entries": entries},
    }


# --- the line protocol ---------------------------------------------------------------------------------------------

REQUESTS = {
    "rank": rank, "compress": answer_compress, "kmeans_best": kmeans_best, "sessions": sessions, "taubench": taubench,
    "update": update,
}


def answer(line):
    """One answer for one line. A refusal by the rules is `{"error": code}`; `oracle_failed` is never one of them."""
    try:
        request = json.loads(line)
        return REQUESTS[request["do"]](request)
    except Refused as refusal:
        return {"error": str(refusal)}
    except Exception as failure:  # the other side waits for a line
        traceback.print_exc()
        return {"error": "oracle_failed", "message": f"{type(failure).__name__}: {failure}"}


def main():
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
