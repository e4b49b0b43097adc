#!/usr/bin/env python3
"""Runs the registered kernels on a GPU and says of each hazard how it shows.

    confirm.py --build DIR [--filter REGEX] [--trials N] [--seed N] [--claims FILE] [--resume FILE] [--report FILE] [--logs DIR]
    confirm.py --list [--filter REGEX]

Cases run in processes with a time limit, and what ends one process costs no other case: as they are, skewed (built from what `cuwarp-lint perturb` makes of
the fixtures: delays at the findings, and delays everywhere), with -G, and under compute-sanitizer. Exit status: 0 when every hazard has a verdict and every corrected kernel
is right in all checks; 1 when not; 2 when nothing could be run (no GPU, nothing built).
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import checks  # noqa: E402
import differential  # noqa: E402
import registry  # noqa: E402
import verdicts  # noqa: E402
from headers import Malformed  # noqa: E402


class Unusable(Exception):
    """The environment is not what it must be; the message says what to do."""


def said_by(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def machine():
    gpu = said_by("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader").strip().split("\n")[0]
    if not gpu:
        raise Unusable("no GPU: nvidia-smi lists none. runtime_check runs on a machine with an NVIDIA GPU of compute capability "
                       "7.5 or later; what needs none is `ctest -R runtime_check`")
    name, driver, capability = [field.strip() for field in gpu.split(",")][:3]
    toolkit = re.search(r"release ([\d.]+), V([\d.]+)", said_by(os.environ.get("CUDACXX", "nvcc"), "--version"))
    return {"gpu": name, "driver": driver, "compute_capability": capability, "toolkit": toolkit[2] if toolkit else "unknown"}


def find_sanitizer(wanted):
    found = wanted or shutil.which("compute-sanitizer")
    for folder in ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"):
        found = found or shutil.which("compute-sanitizer", path=folder)
    return found or ""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, help="the build folder of runtime_check")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only cases whose name or rule matches")
    parser.add_argument("--list", action="store_true", help="print the cases and what corrects them")
    parser.add_argument("--checks", default=",".join(checks.ASKED), help="default: all; %(default)s")
    parser.add_argument("--trials", type=int, default=20, help="launches per case; %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.7, help="a kernel that takes longer hangs; %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--deadline", type=float, default=0, metavar="SECONDS", help="begin nothing new after that long")
    parser.add_argument("--sanitizer", default="", help="path of compute-sanitizer")
    parser.add_argument("--claims", type=pathlib.Path, help="claims.json of prepare.py, to compare with what the GPU logs")
    parser.add_argument("--resume", type=pathlib.Path, metavar="FILE",
                        help="a report of these sources on this machine that a deadline cut short: run only what it lacks")
    parser.add_argument("--report", type=pathlib.Path, help="write the JSON report here")
    parser.add_argument("--logs", type=pathlib.Path, help="keep the output of every process in this folder")
    return parser.parse_args()


def chosen(cases, pattern):
    wanted = re.compile(pattern)
    return [case for case in cases.values() if wanted.search(case.name) or wanted.search(case.rule)]


def list_cases(cases):
    for case in cases:
        sizes = "; ".join("grid=%s block=%s n=%d" % ("x".join(map(str, r.grid)), "x".join(map(str, r.block)), r.n)
                          for r in case.runs)
        print("%-10s %-34s %-60s %-16s %s" % (case.role, case.rule, case.name, case.shape, sizes))


def read_earlier(path, facts):
    """The report to resume, {} for none."""
    report = json.loads(path.read_text(encoding="utf-8")) if path else {}
    if report and any(report[key] != facts[key] for key in ("machine", "trials", "seed")):
        raise Unusable("%s comes from another machine, number of trials or seed" % path)
    return report


def results_of(report):
    return {row["name"]: {check: checks.Result(**result) for check, result in row["checks"].items() if result["outcome"] != "missing"}
            for row in report.get("hazards", []) + report.get("corrected", [])}


class Runner:
    def __init__(self, settings, deadline, results):
        self.settings, self.deadline, self.begin = settings, deadline, time.monotonic()
        self.results = results  # case name -> {check: Result}

    def run_batch(self, batch, check):
        if self.deadline and time.monotonic() - self.begin > self.deadline:
            return {case.name: checks.Result("missing", text="no time left") for case in batch}
        return checks.run_batch(batch, check, self.settings)

    def run_all(self, jobs, wanted):
        """`wanted`: [(cases, check)]"""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = [(check, pool.submit(self.run_batch, batch, check)) for batch, check in wanted]
            for check, future in futures:
                for name, result in future.result().items():
                    self.results.setdefault(name, {})[check] = result

    def run_again(self, cases, jobs):
        """What failed beside others, or seemed to hang where it does not always, is run once more with more patience and few
        beside it: a kernel that has to wait for its turn is not one that hangs. This second result is the one that counts."""
        again = [([case], check) for case in cases for check, result in self.results.get(case.name, {}).items()
                 if result.outcome == "failed" or (result.outcome == "hang" and (case.role != "hazard" or not self.hangs_always(case)))]
        self.settings = dataclasses.replace(self.settings, seconds=5 * self.settings.seconds)
        self.run_all(min(3, jobs), again)

    def hangs_always(self, case):
        return self.results[case.name].get("plain", checks.Result("missing")).outcome == "hang"


def enders(results):
    """Who ends a plain program will end others."""
    return {name for name, of_case in results.items() if "plain" in of_case and of_case["plain"].outcome != "done"}


def order(cases, names, settings, known):
    """Check by check, so that what a deadline cuts off is the last check and not the last rules."""
    alone = enders(known)
    return [(batch, check) for check in names
            for batch in checks.batches([case for case in cases if check not in known.get(case.name, {})], check, settings, alone)]


def to_json(cases, entries, results, facts):
    notes = {entry.hazard: entry.note for entry in entries if entry.hazard}
    corrected = {entry.hazard: entry.corrected for entry in entries if entry.hazard}
    hazards, sound = [], []
    for case in cases:
        row = {"name": case.name, "rule": case.rule, "file": registry.shown_path(case.path), "kernel": case.kernel, "shape": case.shape,
               "checks": {check: result.to_json() for check, result in results.get(case.name, {}).items()}}
        if case.role == "hazard":
            row["verdict"] = verdicts.verdict_of(results.get(case.name, {}))
            row["corrected"] = corrected[case.file]
            if notes.get(case.file):
                row["note"] = notes[case.file]
            hazards.append(row)
        else:
            row["sound"] = verdicts.is_sound(results.get(case.name, {}))
            if not row["sound"] and verdicts.is_sound(verdicts.without_false_alarms(case, results.get(case.name, {}))):
                row["false_alarm"] = "; ".join("%s: %s" % (check, why) for check, why in verdicts.false_alarms(case).items())
            sound.append(row)
    confirmed = sum(row["verdict"] in verdicts.CONFIRMED for row in hazards)
    missed = {check: sum(row["verdict"] in verdicts.CONFIRMED and row["checks"].get(check, {}).get("reports") == 0 for row in hazards)
              for check in ("racecheck", "synccheck")}
    counts = {}
    for row in hazards:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    ran = {check: sum(row["checks"].get(check, {"outcome": "missing"})["outcome"] != "missing" for row in hazards + sound)
           for check in checks.ASKED}
    summary = {"hazards": len(hazards), "confirmed": confirmed, "verdicts": dict(sorted(counts.items())),
               "confirmed_but_silent": missed, "corrected": len(sound), "corrected_sound": sum(row["sound"] for row in sound),
               "false_alarms": sum("false_alarm" in row for row in sound), "kernels_checked": ran}
    return {"version": 1, **facts, "summary": summary, "hazards": hazards, "corrected": sound,
            "not_for_a_gpu": registry.NOT_FOR_A_GPU}


def recorded(cases, settings, jobs):
    """Who came where, {case: places}."""
    batches = [batch for batch in checks.batches(cases, "record", settings) if checks.program_of(batch[0], "record", settings)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        outputs = list(pool.map(lambda batch: checks.run_record(batch, settings), batches))
    return differential.records_in("\n".join(outputs))


def compare(cases, claims, records, runner):
    """The linter's claims against the recorded run and against what racecheck said and traced."""
    outputs = {case.name: result.output for case in cases
               if (result := runner.results.get(case.name, {}).get("racecheck")) and result.outcome == "done"}
    pairs = {case.name: differential.races_in(outputs[case.name], case.path.stem) for case in cases if case.name in outputs}
    return {"participation": differential.participation(cases, claims, records),
            "barriers": differential.barriers(cases, claims, {case.name: outputs[case.name] for case in cases
                                                              if case.role == "hazard" and case.name in outputs}),
            "races": differential.races(cases, claims, pairs)}


def print_differential(found):
    races = found["races"]
    for what in ("participation", "barriers"):
        calls = found[what]
        print("%s: %d calls as the linter says, %d differ; not compared: %s" % (
            what, calls["agree"], len(calls["differ"]), ", ".join("%d %s" % (n, why) for why, n in calls["not_compared"].items()) or "none"))
    print("races: racecheck names %d pairs of lines that the linter names, %d more of the same causes, %d in hazards that are told as a "
          "barrier's, %d others; of %d causes it names nothing" % (
              races["both"], races["same_cause"], races["told_as_barrier"], len(races["racecheck_only"]), len(races["linter_only"])))
    for row in found["participation"]["differ"] + found["barriers"]["differ"] + races["racecheck_only"]:
        print("  differs: %s" % row)


def print_table(report, names):
    print("%-52s %-26s %s" % ("hazard", "verdict", " ".join("%-14s" % name for name in names)))
    for row in report["hazards"]:
        cells = [verdicts.mark(checks.Result(**{**{"outcome": "missing"}, **row["checks"].get(name, {})})) for name in names]
        print("%-52s %-26s %s" % (row["name"], row["verdict"], " ".join("%-14s" % cell for cell in cells)))
    unsound = [row for row in report["corrected"] if not row["sound"]]
    for row in unsound:
        print("%s %s: %s" % ("FALSE ALARM" if "false_alarm" in row else "NOT SOUND", row["name"], {check: result for check, result in row["checks"].items()
                                                   if result.get("wrong") or result.get("reports") or result["outcome"] != "done"}))
    summary = report["summary"]
    print("%d of %d hazards shown wrong, hanging or faulting; of these racecheck is silent about %d and synccheck about %d; "
          "%d of %d corrected kernels pass everything that ran, %d all but a tool's false alarm" % (
              summary["confirmed"], summary["hazards"], summary["confirmed_but_silent"]["racecheck"],
              summary["confirmed_but_silent"]["synccheck"], summary["corrected_sound"], summary["corrected"], summary["false_alarms"]))


def main():
    options = parse_arguments()
    entries, cases = registry.load()
    cases = chosen(cases, options.filter)
    names = options.checks.split(",")
    if unknown := [name for name in names if name not in checks.ASKED]:
        raise Unusable("no such check: %s" % ", ".join(unknown))
    if options.list:
        list_cases(cases)
        return 0
    if not options.build or not (options.build / "plain").is_dir():
        raise Unusable("nothing is built: run `cmake -S runtime_check -B DIR -G Ninja && ninja -C DIR`, which needs nvcc, and "
                       "pass --build DIR")
    claims = json.loads(options.claims.read_text(encoding="utf-8")) if options.claims else None
    facts = {"machine": machine(), "date": datetime.date.today().isoformat(), "trials": options.trials, "seed": options.seed}
    settings = checks.Settings(options.build.resolve(), find_sanitizer(options.sanitizer), options.trials, options.seed,
                               options.seconds, options.logs, checks.load_programs(options.build))
    earlier = read_earlier(options.resume, facts)
    runner = Runner(settings, options.deadline, results_of(earlier))
    runner.run_all(options.jobs, order(cases, [name for name in names if name == "plain"], settings, runner.results))
    kept = [case for case in cases if case.name not in enders(runner.results)]
    records = recorded(kept, settings, options.jobs) if claims and not earlier else {}
    runner.run_all(options.jobs, order(cases, [name for name in names if name != "plain"], settings, runner.results))
    runner.run_again(cases, options.jobs)
    report = to_json(cases, entries, runner.results, facts)
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")  # whatever comes behind
    if "differential" in earlier:
        report["differential"] = earlier["differential"]
    elif claims:
        report["differential"] = compare(cases, claims, records, runner)
    report["seconds"] = round(time.monotonic() - runner.begin)
    report["processes"] = checks.times_in_short(settings)
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print_table(report, names)
    if "differential" in report:
        print_differential(report["differential"])
    complete = all(row["verdict"] != "not run" for row in report["hazards"])
    summary = report["summary"]
    return 0 if complete and summary["corrected_sound"] + summary["false_alarms"] == summary["corrected"] else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Unusable, Malformed, OSError, json.JSONDecodeError) as e:
        print("runtime_check: %s" % e, file=sys.stderr)
        sys.exit(2)
