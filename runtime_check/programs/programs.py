#!/usr/bin/env python3
"""Whole programs of others, unchanged and with their timing shifted: do the linter's definite findings fail on a GPU?

    programs.py prepare --tool LINTER --checkouts DIR OUT   where the linter is: sources of three variants of each program
    programs.py run OUT [--seconds N] [--only REGEX]        where the GPU is: builds and runs them, writes OUT/programs.json;
                                                            what is there of other programs stays
    programs.py page                                        writes docs/measurements/programs.md from programs.json
    programs.py page --check                                says whether that page is the one of the data (exit status 1: not)

programs.csv lists the programs, each with the commit and folder of its repository, what is compiled, its arguments, and what it
prints when its own check fails. DIR holds the checkouts by the last part of the repository's name. Nothing of a checkout
is changed, and nothing of it belongs into this repository: OUT is a scratch folder.

The variants are the sources as they are ("plain"), the output of `cuwarp-lint perturb` ("shifted": delays at the findings, which
change no result that is guaranteed), and the shifted sources after `cuwarp-lint --fix` ("mended").
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "measurements" / "programs.md"
DATA = HERE / "programs.json"
VARIANTS = ("plain", "shifted", "mended")
RUNS = {"plain": 3, "shifted": 5, "mended": 5}  # of a shifted program, one for each seed
LONG_RUNS = 2  # with the longer delays: an odd and an even seed, of which each delays otherwise
DELAYS = (4096, 65536)  # nanoseconds at most; the longer ones where the shorter ones change no result
RUN_SECONDS = 100
TOOL_SECONDS = 90
CHECKED_LAUNCHES = 10  # launches of a program that compute-sanitizer looks at
NEAR = 2  # lines between what a tool names and a line of the finding


@dataclasses.dataclass
class Program:
    name: str
    repository: str
    commit: str
    folder: str
    sources: list
    flags: list
    arguments: list
    wrong: str
    right: str

    @property
    def key(self):
        return re.sub(r"\W+", "-", self.name)


def programs():
    with open(HERE / "programs.csv", newline="", encoding="utf-8") as file:
        return [
            Program(row["program"], row["repository"], row["commit"], row["folder"], row["sources"].split(),
                    row["flags"].split(), row["arguments"].split(), row["wrong"], row["right"])
            for row in csv.DictReader(file)
        ]


# ---- where the linter is ----


def lint(tool, paths, *options):
    command = [tool, *map(str, paths), "--isolated", "--no-cache", "--output", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"programs.py: the linter failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["findings"]


def lines_of(finding, folder):
    """(file, line) of the finding and of what it points at, files relative to the folder."""
    places = [finding, *finding["labels"], *finding["notes"]]
    return sorted({(os.path.relpath(p["file"], folder), p["line"]) for p in places if p.get("line")})


def prepare_one(tool, checkouts, program, out):
    """The three variants below OUT/KEY, and the definite findings in them."""
    source = checkouts / program.repository.split("/")[-1] / program.folder
    commit = subprocess.run(["git", "-C", str(source), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if not commit.stdout.startswith(program.commit):
        raise SystemExit(f"programs.py: {source} is not at commit {program.commit} of {program.repository}")
    base = out / program.key
    shutil.rmtree(base, ignore_errors=True)
    plain, shifted, mended = (base / v for v in VARIANTS)
    shutil.copytree(source, plain, ignore=shutil.ignore_patterns("*.dvc", "*.png", "*.gz"))
    read = [plain / s for s in program.sources]
    findings = [f for f in lint(tool, read) if f["confidence"] == "definite"]
    shutil.copytree(plain, shifted)
    copied = subprocess.run([tool, "perturb", *map(str, read), "--isolated", "--out", str(base / "copy")],
                            capture_output=True, text=True, check=False)
    if copied.returncode not in (0, 1):
        raise SystemExit(f"programs.py: perturb failed for {program.name}: {copied.stderr.strip()}")
    shutil.copytree(base / "copy", shifted, dirs_exist_ok=True)
    shutil.rmtree(base / "copy")
    shutil.copytree(shifted, mended)
    subprocess.run([tool, *(str(mended / s) for s in program.sources), "--isolated", "--no-cache", "--fix", "--unsafe-fixes"],
                   capture_output=True, check=False)
    left = [f for f in lint(tool, [mended / s for s in program.sources]) if f["confidence"] == "definite"]
    return {
        "program": program.name,
        "findings": [{"rule": f["rule"], "file": os.path.relpath(f["file"], plain), "line": f["line"],
                      "kernel": f["kernel"], "lines": lines_of(f, plain)} for f in findings],
        "left": sorted({f["rule"] for f in left}),
    }


def prepare(tool, checkouts, out):
    out.mkdir(parents=True, exist_ok=True)
    told = []
    for program in programs():
        told.append(prepare_one(tool, checkouts, program, out))
        print(f"{program.name}: {len(told[-1]['findings'])} definite, left after the fix: {told[-1]['left'] or 'none'}", flush=True)
    (out / "findings.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


# ---- where the GPU is ----


def build(program, variant, out, arch, delay=DELAYS[0]):
    folder = out / program.key / variant
    command = ["nvcc", "-std=c++17", "-O3", f"-arch={arch}", "-lineinfo", "-w", f"-DCUWARP_SKEW_NANOSECONDS={delay}",
               *program.sources, *program.flags, "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[-400:]


def run_once(program, folder, seed):
    """One of: passes, wrong, fails (an error or a crash), late (no verdict within the time)."""
    env = dict(os.environ, CUWARP_SKEW_SEED=str(seed))
    try:
        done = subprocess.run(["stdbuf", "-oL", "./program", *program.arguments], cwd=folder, capture_output=True, env=env,
                              timeout=RUN_SECONDS, check=False)
        text, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = late.stdout or b"", None
    text = text.decode("utf-8", "replace")
    if re.search(program.wrong, text):
        return "wrong"
    if program.right and re.search(program.right, text):
        return "passes"
    return "late" if code is None else "passes" if code == 0 else "fails"


def run_seeds(program, variant, out, delay):
    folder = out / program.key / variant
    count = LONG_RUNS if variant != "plain" and delay != DELAYS[0] else RUNS[variant]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda seed: run_once(program, folder, seed), range(1, count + 1)))


def sanitize(program, tool, folder, findings):
    """What compute-sanitizer's tool says of the plain program: errors, and whether one names a line of a finding."""
    command = ["compute-sanitizer", "--tool", tool, "--launch-count", str(CHECKED_LAUNCHES), "--print-limit", "200",
               "./program", *program.arguments]
    if tool == "racecheck":
        command[3:3] = ["--racecheck-report", "all"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=TOOL_SECONDS,
                              check=False)
        text, is_cut = done.stdout, False
    except subprocess.TimeoutExpired as late:
        text, is_cut = (late.stdout or b"").decode("utf-8", "replace"), True
    named = {(os.path.basename(f), int(n)) for f, n in re.findall(r"in ([^\s:]+):(\d+)", text)}
    near = any(os.path.basename(file) == f and abs(line - n) <= NEAR
               for finding in findings for file, line in finding["lines"] for f, n in named)
    count = re.search(r"(?:RACECHECK SUMMARY: (\d+) hazard|ERROR SUMMARY: (\d+) error)", text)
    errors = next((int(g) for g in count.groups() if g), 0) if count else len(named)
    return {"reports": errors, "at_finding": near, "is_cut": is_cut}


def judge(program, told, out, arch):
    row = {"program": program.name, "findings": told["findings"], "left": told["left"]}
    delays = DELAYS[:1]
    for variant in VARIANTS:
        for delay in delays if variant != "shifted" else DELAYS:
            problem = build(program, variant, out, arch, delay)
            row[variant] = {"build": problem} if problem else {"runs": run_seeds(program, variant, out, delay)}
            if variant != "plain":
                row[variant]["delay"] = delay
            if variant == "shifted" and set(row[variant].get("runs", [])) != {"passes"}:
                break
        if variant == "shifted":
            delays = (row[variant]["delay"],)
    if "runs" in row["plain"]:
        for tool in ("racecheck", "synccheck"):
            row[tool] = sanitize(program, tool, out / program.key / "plain", told["findings"])
    return row


def said_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().splitlines()


def run(out, seconds, only, jobs):
    began = time.monotonic()
    told = {t["program"]: t for t in json.loads((out / "findings.json").read_text(encoding="utf-8"))}
    device = (said_by("nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader") or ["none, 0.0, 0"])[0]
    name, capability, driver = (part.strip() for part in device.split(","))
    arch = "sm_" + capability.replace(".", "")
    chosen = [p for p in programs() if p.name in told and re.search(only, p.name)]
    order = [p.name for p in programs()]
    path = out / "programs.json"
    rows = {r["program"]: r for r in json.loads(path.read_text(encoding="utf-8"))["programs"]} if path.exists() else {}
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    waiting = {pool.submit(judge, p, told[p.name], out, arch): p for p in chosen}
    try:
        for done in concurrent.futures.as_completed(waiting, timeout=seconds):
            row = done.result()
            rows[row["program"]] = row
            report = {"device": name, "driver": driver, "nvcc": said_by("nvcc", "--version")[-2],
                      "programs": sorted(rows.values(), key=lambda r: order.index(r["program"]))}
            path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
            shown = {k: row[k] for k in (*VARIANTS, "racecheck", "synccheck") if k in row}
            print(f"{row['program']} ({time.monotonic() - began:.0f} s): {json.dumps(shown)}", flush=True)
    except TimeoutError:
        print(f"stopped after {seconds} s", flush=True)
        os._exit(0)  # what runs on is of no use


# ---- the page ----


def outcome(cell):
    if "build" in cell:
        return "does not build"
    runs = cell["runs"]
    bad = [r for r in runs if r != "passes"]
    text = f"passes {len(runs)} of {len(runs)}" if not bad else f"{'/'.join(sorted(set(bad)))} {len(bad)} of {len(runs)}"
    return text + (f" (≤ {cell['delay'] // 1024} µs)" if cell.get("delay", DELAYS[0]) != DELAYS[0] else "")


def checked(cell):
    if cell is None:
        return "–"
    text = f"{cell['reports']} reports" if cell["reports"] else "silent"
    return text + (", one at the finding" if cell["at_finding"] else "") + (" (stopped)" if cell["is_cut"] else "")


def page_text():
    data = json.loads(DATA.read_text(encoding="utf-8"))
    listed = {p.name: p for p in programs()}
    lines = ["# Whole programs", "",
             f"`runtime_check/programs/programs.py` on an {data['device']} (driver {data['driver']}). Each program has definite findings and a check of its",
             "own. *Plain*: as its project ships it. *Shifted*: the output of `cuwarp-lint perturb`, five seeds. *Mended*: the shifted",
             "program after `--fix --unsafe-fixes`; where no fix exists, it is the shifted program. What passes with delays of up to 4 µs is run again",
             "with up to 64 µs and two seeds. compute-sanitizer looks at the first launches of the plain program.", "",
             "| program | repository | definite findings | plain | shifted | mended | racecheck | synccheck |",
             "|---|---|---|---|---|---|---|---|"]
    for row in data["programs"]:
        program = listed[row["program"]]
        found = "; ".join(f"{os.path.basename(f['file'])}:{f['line']} {f['rule']}" for f in row["findings"])
        mended = outcome(row["mended"]) + (f"; without a fix: {', '.join(row['left'])}" if row["left"] else "")
        lines.append(f"| {row['program']} | {program.repository}@{program.commit} | {found} | {outcome(row['plain'])} | "
                     f"{outcome(row['shifted'])} | {mended} | {checked(row.get('racecheck'))} | {checked(row.get('synccheck'))} |")
    shown = [r for r in data["programs"] if any(x != "passes" for x in r["shifted"].get("runs", []))]
    silent = [r for r in shown if all(x == "passes" for x in r["plain"].get("runs", []))]
    unseen = [r for r in shown if not any(r.get(t, {}).get("reports") for t in ("racecheck", "synccheck"))]
    lines += ["", f"{len(shown)} of {len(data['programs'])} fail when their timing is shifted, {len(silent)} of them only then; of {len(unseen)} of",
              "those compute-sanitizer reports nothing.", ""]
    notes = HERE / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").rstrip(), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("prepare")
    one.add_argument("--tool", required=True)
    one.add_argument("--checkouts", required=True, type=pathlib.Path)
    one.add_argument("out", type=pathlib.Path)
    two = commands.add_parser("run")
    two.add_argument("out", type=pathlib.Path)
    two.add_argument("--seconds", type=int, default=540)
    two.add_argument("--only", default="")
    two.add_argument("--jobs", type=int, default=10)
    three = commands.add_parser("page")
    three.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.command == "prepare":
        prepare(args.tool, args.checkouts.resolve(), args.out.resolve())
    elif args.command == "run":
        run(args.out.resolve(), args.seconds, args.only, args.jobs)
    elif args.check:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page_text():
            sys.exit("programs.py: docs/measurements/programs.md is not the page of programs.json: run programs.py page")
    else:
        PAGE.write_text(page_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
