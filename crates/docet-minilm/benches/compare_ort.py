#!/usr/bin/env python3
"""Time Docet's encoder beside ONNX Runtime in f32, interleaved, tokenising included.

    cargo build --release -p docet-minilm --example encode_bench
    compare_ort.py --driver target/release/examples/encode_bench --graph minilm.onnx --model FOLDER LESSONS

LESSONS holds one text a line, or one JSON object a line with a field `text`. FOLDER holds model.safetensors and
tokenizer.json; minilm.onnx is an f32 graph of the same weights, with the inputs input_ids, attention_mask and
token_type_ids and one output, the sentence embedding. Prints medians and, for each round, ratios, for one text of 29
tokens and for LESSONS in file order in batches of 32, on one thread and on two. Needs: onnxruntime, tokenizers, numpy.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer

ONE_TEXT = "Before changing a failing test, reproduce the failure locally, read the full stack trace and name the cause of it in one short sentence."
ONE_TEXT_TOKENS = 29
BATCH = 32


class Docet:
    """The example `encode_bench` as a child process."""

    def __init__(self, driver, model, threads):
        environment = dict(os.environ, DOCET_MODEL_DIR=model)
        self.process = subprocess.Popen(
            [driver, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def milliseconds(self, batch, path, _texts):
        self.process.stdin.write(f"{batch} {path}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class OnnxRuntime:
    """The same weights in ONNX Runtime, padded to the longest text of each batch."""

    def __init__(self, graph, model, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def milliseconds(self, batch, _path, texts):
        start = time.perf_counter()
        for first in range(0, len(texts), batch):
            self.embed(texts[first : first + batch])
        return (time.perf_counter() - start) * 1e3

    def embed(self, texts):
        encodings = self.tokenizer.encode_batch(texts)
        names = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        feed = {name: numpy.array([getattr(e, field) for e in encodings], numpy.int64) for name, field in names.items()}
        return self.session.run(None, feed)[0]

    def tokens(self, text):
        return len(self.tokenizer.encode(text).ids)


def compare(name, engines, batch, texts, rounds, repeat):
    """Alternates between the engines and prints a line."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(texts * repeat))
        file.flush()
        times = {engine: [] for engine in engines}
        for round_number in range(rounds + 1):
            for engine, runner in engines.items():
                milliseconds = runner.milliseconds(batch, file.name, texts * repeat) / repeat
                if round_number:
                    times[engine].append(milliseconds)
    medians = {engine: statistics.median(values) for engine, values in times.items()}
    ratios = sorted(ours / theirs for ours, theirs in zip(times["docet"], times["onnxruntime"]))
    shown = ", ".join(f"{engine} {median:.2f} ms" for engine, median in medians.items())
    middle = statistics.median(ratios)
    print(f"{name}: {shown}; docet / onnxruntime {middle:.3f} (from {ratios[0]:.3f} to {ratios[-1]:.3f})", flush=True)


def read(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    texts = [json.loads(line)["text"] if line.startswith("{") else line for line in lines]
    return [" ".join(text.split()) for text in texts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("lessons")
    arguments = parser.parse_args()
    lessons = read(arguments.lessons)
    print(f"onnxruntime {onnxruntime.__version__}, {len(lessons)} lessons")
    for threads in (1, 2):
        engines = {
            "docet": Docet(arguments.driver, arguments.model, threads),
            "onnxruntime": OnnxRuntime(arguments.graph, arguments.model, threads),
        }
        assert engines["onnxruntime"].tokens(ONE_TEXT) == ONE_TEXT_TOKENS, engines["onnxruntime"].tokens(ONE_TEXT)
        compare(f"one text, {threads} threads", engines, 1, [ONE_TEXT], arguments.rounds, 20)
        compare(f"batches of {BATCH}, {threads} threads", engines, BATCH, lessons, arguments.rounds, 1)


if __name__ == "__main__":
    main()
