#!/usr/bin/env python3
"""Builds and runs the programs of the comparison that have a main(), plain and under compute-sanitizer: needs nvcc and a GPU.

    gpu.py --OPTION FOLDER… --out runs.json [--jobs N] [--seconds N]      options: see suites.FOREIGN

Leaves {program: {build, plain, racecheck, synccheck}}; each of the last three has an outcome (done, failed, timeout), the seconds
it took and, for a tool, how many reports its summary counts.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import suites

SECONDS = {"build": 120, "plain": 20, "racecheck": 60, "synccheck": 60}
RACES = re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)")
ERRORS = re.compile(r"ERROR SUMMARY: (\d+) errors?")


def run(command, limit, folder, stdin=None):
    """(outcome, seconds, output); a program that does not end is killed with all that it started."""
    began = time.monotonic()
    with open(stdin or os.devnull, "rb") as given, open(folder / "output", "w+b") as output:
        process = subprocess.Popen(command, cwd=folder, stdin=given, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            status = process.wait(limit)
            outcome = "done" if status == 0 else "failed"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            outcome = "timeout"
        output.seek(max(0, output.seek(0, 2) - (1 << 20)))
        text = output.read().decode("utf-8", "replace")
    return outcome, round(time.monotonic() - began, 2), text


def reports_in(tool, text):
    """How many reports a tool's summary counts; None: it wrote none."""
    found = (RACES if tool == "racecheck" else ERRORS).findall(text)
    if not found:
        return None
    return int(found[-1][1]) + int(found[-1][2]) if tool == "racecheck" else int(found[-1])


def build(program, folder):
    command = ["nvcc", "-std=c++17", "-arch=native", "-lineinfo", "-w", *program.options, "-o", str(folder / "program"),
               *map(str, program.built)]
    outcome, seconds, text = run(command, SECONDS["build"], folder)
    return {"outcome": outcome, "seconds": seconds, **({} if outcome == "done" else {"text": text[-300:]})}


def check(program, folder, deadline):
    result = {}
    for tool in ("plain", "racecheck", "synccheck"):
        if time.monotonic() > deadline:
            break
        command = [str(folder / "program")]
        if tool != "plain":
            command = ["compute-sanitizer", "--tool", tool, "--print-limit", "5", *command]
        outcome, seconds, text = run(command, SECONDS[tool], folder, program.stdin)
        result[tool] = {"outcome": outcome, "seconds": seconds}
        if tool != "plain":
            result[tool]["reports"] = reports_in(tool, text)
        if outcome != "done":
            result[tool]["text"] = text[-300:]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    suites.add_options(parser)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=240)
    given = parser.parse_args()
    deadline = time.monotonic() + given.seconds
    folders, _ = suites.chosen(given)
    programs = [p for p in suites.all_programs(folders) if p.built and p.label != "out"]
    results = {p.key: {} for p in programs}
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as builders, \
            concurrent.futures.ThreadPoolExecutor(given.jobs) as runners:
        places = {}
        for i, program in enumerate(programs):
            places[program.key] = pathlib.Path(scratch) / str(i)
            places[program.key].mkdir()

        # All builds at once; a few programs at a time on the GPU, each as soon as it is built.
        builds = {program.key: builders.submit(build, program, places[program.key]) for program in programs}

        def one(program):
            results[program.key]["build"] = built = builds[program.key].result()
            if built["outcome"] == "done":
                results[program.key].update(check(program, places[program.key], deadline))

        list(runners.map(one, programs))
    given.out.write_text(json.dumps({"machine": machine(), "programs": results}, indent=1) + "\n")
    missing = [key for key, result in results.items() if "synccheck" not in result]
    print("%d programs, %d not run to the end: %s" % (len(programs), len(missing), ", ".join(missing[:8])))
    return 0


def machine():
    def first(command, pattern="(.*)"):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = re.search(pattern, done.stdout)
        return found[1].strip() if found else ""
    return {"gpu": first(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]),
            "driver": first(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]),
            "toolkit": first(["nvcc", "--version"], r"V([\d.]+)"),
            "sanitizer": first(["compute-sanitizer", "--version"], r"version ([\d.]+)")}


if __name__ == "__main__":
    sys.exit(main())
