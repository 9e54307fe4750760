#!/usr/bin/env python3
"""Times what durability costs, as whole processes with the real encoder; prints medians. Standard library only.

    durability.py DOCET [--driver ENCODE_BENCH] [--adds N] [--lessons N]

DOCET is a release build of the command line; the weights are found as DOCET_MODEL_DIR and the data folder say.
Two figures: lessons added by eight processes at once against one process, and an import of many lessons beside the
encoder's own time for them (the driver is the example `encode_bench` of docet-minilm).
"""
import argparse
import json
import os
import random
import resource
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROCESSES = 8
WHEN = ["Before you", "After you", "When you", "Each time you", "Unless you"]
DO = ["open a pull request", "delete a file", "edit a shared module", "read a long log", "retry a request", "fill a form"]
THEN = ["run the whole suite", "ask who owns it", "read the error to its end", "write down what you expect", "check the path"]
WHY = ["since others rely on it", "or the next step fails", "because the cache may be old", "and say what you saw"]


def lessons(count):
    """Texts with the lengths of real lessons, all different, the same on every machine."""
    draw = random.Random(4)
    made = {}
    while len(made) < count:
        text = f"{draw.choice(WHEN)} {draw.choice(DO)}, {draw.choice(THEN)} {draw.choice(WHY)}, case {draw.randrange(10**6)}."
        made[text] = None
    return list(made)


def answer(docet, store, *words):
    return json.loads(subprocess.check_output([docet, "--json", "--store", store, *words], stderr=subprocess.DEVNULL))


def rate(docet, folder, processes, adds):
    """Lessons a second, each added by a process of its own, so many at once."""
    store = folder / f"crowd{processes}.db"
    answer(docet, store, "init", "--capacity", "5000")
    texts = lessons(adds)
    began = time.perf_counter()
    with ThreadPoolExecutor(processes) as crowd:
        ids = list(crowd.map(lambda text: answer(docet, store, "add", text)["applied"][0]["id"], texts))
    elapsed = time.perf_counter() - began
    total = answer(docet, store, "list", "--limit", "1")["total"]
    assert total == adds == len(set(ids)), f"{total} of {adds} lessons are there"
    return adds / elapsed


def import_many(docet, folder, driver, count):
    texts = folder / "lessons.txt"
    texts.write_text("".join(text + "\n" for text in lessons(count)))
    store = folder / "import.db"
    answer(docet, store, "init", "--capacity", "20000", "--strategy", "importance")
    began = time.perf_counter()
    report = answer(docet, store, "import", str(texts), "--from", "text")
    elapsed = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert report["imported"] == count, report
    print(f"import of {count} lessons: {elapsed:.2f} s, {memory:.0f} MB")
    if driver:
        asked = f"{count} {texts}\n".encode()
        own = float(subprocess.run([driver, str(os.cpu_count())], input=asked, capture_output=True, check=True).stdout) / 1e3
        print(f"the encoder alone: {own:.2f} s; import at {own / elapsed:.2f} of its rate")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docet", type=Path)
    parser.add_argument("--driver", type=Path)
    parser.add_argument("--adds", type=int, default=200)
    parser.add_argument("--lessons", type=int, default=10_000)
    arguments = parser.parse_args()
    docet = arguments.docet.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one, many = (rate(docet, folder, processes, arguments.adds) for processes in (1, PROCESSES))
        print(f"adds a second: {one:.1f} by one process, {many:.1f} by {PROCESSES} at once ({many / one:.2f} times)")
        import_many(docet, folder, arguments.driver, arguments.lessons)


if __name__ == "__main__":
    main()
