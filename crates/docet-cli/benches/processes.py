#!/usr/bin/env python3
"""Times Docet as whole processes, with the real encoder and a real store; prints medians. Standard library only.

    processes.py DOCET LESSONS.jsonl [--runs N] [--driver ENCODE_BENCH]

DOCET is a release build of the command line; LESSONS.jsonl has rows with `text` and `domain`. The weights are found as
DOCET_MODEL_DIR and the data folder say. With a driver (the example `encode_bench` of docet-minilm) the encoder's own
time for the lessons is measured in turn with `update`.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TASK = "Fix the failing test in the payment service and open a pull request for it today"
LIBRARY = 500


def run(command, stdin=b""):
    """Wall milliseconds and peak resident megabytes of one process."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(stdin)
    process.stdin.close()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = (time.perf_counter() - began) * 1e3
    if status:
        raise SystemExit(f"{command[1:]} failed: {process.stderr.read().decode()}")
    return elapsed, usage.ru_maxrss / 1024


def operations(rows):
    adds = [{"op": "add", "text": row["text"], "domain": row["domain"]} for row in rows]
    return json.dumps({"operations": adds}).encode()


def recall(docet, rows, folder, runs):
    store = folder / "recall.db"
    run([docet, "--store", store, "update", "-", "--on-invalid", "skip"], operations(rows[: LIBRARY + 40]))
    size = json.loads(subprocess.check_output([docet, "--store", store, "--json", "list", "--limit", "1"]))["total"]
    for name, command in [
        (f"recall, library of {size}", ["recall", TASK]),
        ("recall, same task, every domain", ["recall", TASK, "--all-domains"]),
        ("embed one text: the encoder opened, no store", ["embed", TASK]),
        ("list one: the store opened, no encoder", ["list", "--limit", "1"]),
    ]:
        figures = [run([docet, "--store", store, *command]) for _ in range(runs + 1)][1:]
        wall, memory = (statistics.median(column) for column in zip(*figures))
        print(f"{name}: {wall:.1f} ms, {memory:.0f} MB")


def update(docet, rows, folder, runs, driver):
    texts = folder / "lessons.txt"
    texts.write_text("".join(row["text"] + "\n" for row in rows))
    walls, owns = [], []
    for number in range(runs):
        store = folder / f"update{number}.db"
        walls.append(run([docet, "--store", store, "update", "-", "--on-invalid", "skip"], operations(rows))[0])
        if driver:
            owns.append(encoder_alone(driver, texts, len(rows)))
    print(f"update of {len(rows)} lessons: {statistics.median(walls):.0f} ms")
    if owns:
        beside = statistics.median(wall - own for wall, own in zip(walls, owns))
        print(f"encoder alone: {statistics.median(owns):.0f} ms; update beside it: {beside:.0f} ms")


def encoder_alone(driver, texts, count):
    """Milliseconds for all texts in one batch on all cores, the encoder open already."""
    asked = f"{count} {texts}\n".encode()
    answer = subprocess.run([driver, str(os.cpu_count())], input=asked, capture_output=True, check=True)
    return float(answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docet", type=Path)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--driver", type=Path)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.lessons.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        recall(arguments.docet, rows, Path(folder), arguments.runs)
        update(arguments.docet, rows, Path(folder), arguments.runs, arguments.driver)


if __name__ == "__main__":
    main()
