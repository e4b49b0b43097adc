#!/usr/bin/env python3
"""What being correct costs: the time of corrected kernels over that of the hazards that they correct, on a GPU.

    cost.py --build DIR [--samples N] [--scale N] [--deadline SECONDS] --report FILE

DIR is a build of runtime_check; its plain programs run one after the other, so that each has the GPU for itself. Of a hazard that
hangs or faults there is no time, and no ratio; nor is there one where the launch is most of the time, or times vary. Writes {"machine", "clocks", "pairs": [{"rule", "hazard", "corrected",
"hazard_us", "corrected_us", "ratio"}]}; a time is [first quartile, median, third quartile], a ratio that of the medians.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import checks  # noqa: E402
import confirm  # noqa: E402
import registry  # noqa: E402

TRIALS = 2
LONGEST = 20  # seconds without a line of a program
LEAST_US = 7.5  # launches in a row take more than 5 on their own
MOST_SPREAD = 0.05  # of the quartiles, over the median


@dataclasses.dataclass
class Pair:
    rule: str
    hazard: str
    corrected: str


def pairs_of(entries, cases):
    """Each hazard with each kernel that corrects it and has its shape."""
    for entry in entries:
        for name, case in cases.items():
            if not entry.hazard or case.role != "hazard" or case.file != entry.hazard:
                continue
            for other in cases.values():
                if other.role == "corrected" and other.file in entry.corrected and other.shape == case.shape:
                    yield Pair(entry.rule, name, other.name)


def times_in(output):
    """{case: quartiles or None} of a program's lines."""
    lines = [json.loads(line) for line in output.split("\n") if line.startswith('{"case"') and line.endswith("}")]
    return {line["case"]: line.get("us") if line["outcome"] == "done" else None for line in lines}


def measure(cases, settings, samples, scale, deadline):
    """{case: quartiles or None}: the cases of each program together, and again behind each that ends it."""
    groups, found = {}, {}
    for case in cases:
        if program := checks.program_of(case, "plain", settings):
            groups.setdefault(program, []).append(case.name)
    for program, names in groups.items():
        left = sorted(names)
        while left and time.monotonic() < deadline:
            command = [str(program), "--trials", str(TRIALS), "--seconds", "0.7", "--spoil", "0", "--time", str(samples),
                       "--scale", str(scale), *left]
            _, output = checks.run_process(command, LONGEST)
            said = times_in(output)
            found.update(said or {left[0]: None})
            left = [name for name in left if name not in found]
    return found


def is_steady(us):
    return us[1] >= LEAST_US and us[2] - us[0] <= MOST_SPREAD * us[1]


def rows_of(pairs, times):
    for pair in pairs:
        hazard, corrected = times.get(pair.hazard), times.get(pair.corrected)
        if hazard and corrected and is_steady(hazard) and is_steady(corrected):
            yield {"rule": pair.rule, "hazard": pair.hazard, "corrected": pair.corrected, "hazard_us": hazard,
                   "corrected_us": corrected, "ratio": round(corrected[1] / hazard[1], 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--samples", type=int, default=25)
    parser.add_argument("--scale", type=int, default=8, help="times the blocks of a case whose size follows from them; %(default)s")
    parser.add_argument("--deadline", type=float, default=200, metavar="SECONDS", help="begin nothing new after that long")
    parser.add_argument("--report", type=pathlib.Path, required=True)
    options = parser.parse_args()
    entries, cases = registry.load()
    pairs = list(pairs_of(entries, cases))
    wanted = {name for pair in pairs for name in (pair.hazard, pair.corrected)}
    settings = checks.Settings(options.build, "", TRIALS, 1, 0.7, None, checks.load_programs(options.build))
    try:
        machine = confirm.machine()
    except confirm.Unusable as problem:
        print("cost: %s" % problem, file=sys.stderr)
        return 2
    clocks = confirm.said_by("nvidia-smi", "--query-gpu=clocks.sm,clocks.max.sm,clocks.max.mem", "--format=csv,noheader").strip()
    times = measure([cases[name] for name in sorted(wanted)], settings, options.samples, options.scale,
                    time.monotonic() + options.deadline)
    rows = list(rows_of(pairs, times))
    report = {"machine": machine, "clocks": clocks, "samples": options.samples, "trials": TRIALS, "scale": options.scale,
              "measured": len(times), "without_time": sorted(name for name, us in times.items() if not us), "pairs": rows}
    options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print("cost: %d of %d pairs have a ratio" % (len(rows), len(pairs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
