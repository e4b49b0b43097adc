#!/usr/bin/env python3
"""Runs the tools that read sources on every program of the comparison.

    static.py --OPTION FOLDER[@COMMIT]… --lint LINTER [--clang-tidy PROGRAM] [--cuda DIR] [--only TOOL,…] [--suites SUITE,…] [--new] --out static.json

What is there of other tools stays, so that they can be run one by one; a tool that is not installed is left out. Each program has of
each tool: what it reports on synchronisation, how many other diagnostics it gives, the seconds of processor time, and whether it
could not read the program. The linter's reports are its definite findings of the categories below.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import suites

CATEGORIES = {"barrier", "mask", "activemask", "race", "blocks", "coop", "volta", "sanity"}
# concurrency-mt-unsafe is about host functions such as rand().
SYNCHRONISATION = re.compile(r"\b(data )?race\b|barrier|synchroni[sz]|diverge|\bwarps?\b|concurrency-(?!mt-unsafe)|thread-safety", re.I)
DIAGNOSTIC = re.compile(r"^\S+:\d+:\d+: (warning|error|fatal error|style|performance|portability|information): (.*)$", re.M)
NAMES = re.compile(r"'[^']*'")  # of the program, in quotes
SECONDS = 120


class Tools:
    """How each is called, and what of its output is a report."""

    def __init__(self, given, scratch):
        self.given, self.stubs, self.categories = given, scratch, {}
        # CUDA 13 has no more the headers of texture references that clang 19 includes.
        for name in ("texture_fetch_functions.h", "texture_indirect_functions.h"):
            (scratch / name).touch()
        self.cuda = ["-x", "cuda", "--cuda-path=%s" % given.cuda, "--cuda-gpu-arch=sm_80", "--cuda-device-only", "-std=c++17",
                     "-Wno-unknown-cuda-version", "-isystem", str(scratch)]
        self.known = {
            "cuwarp-lint": (self.lint, []),
            "cuwarp-lint --preview": (self.lint, ["--preview"]),
            "cuwarp-lint --preview --possible": (self.lint, ["--preview", "--possible"]),
            "clang": (self.clang, []),
            "clang-tidy": (self.tidy, []),
            "cppcheck": (self.cppcheck, []),
        }
        self.programs = {"clang": "clang++-19", "clang-tidy": given.clang_tidy, "cppcheck": "cppcheck"}

    def version(self, tool):
        program = self.programs.get(tool, self.given.lint)
        if not shutil.which(program):
            return None
        done = subprocess.run([program, "version" if program == self.given.lint else "--version"], capture_output=True, text=True,
                              check=False)
        return next((line.strip() for line in done.stdout.splitlines() if re.search(r"\d+\.\d+", line)), "")

    def category(self, rule):
        if not self.categories:
            done = subprocess.run([self.given.lint, "rules"], capture_output=True, text=True, check=True)
            self.categories.update(line.split()[:2] for line in done.stdout.splitlines() if line)
        return self.categories[rule]

    def lint(self, program, extra):
        command = [self.given.lint, *map(str, program.sources), "--isolated", "--no-cache", "--output", "json", "-j1",
                   *program.options, *program.linted, *extra]
        seconds, _, output = run(command)
        try:
            findings = json.loads(output)["findings"]
        except (ValueError, KeyError):
            return {"unread": True, "seconds": seconds, "text": output[-200:]}
        kinds = ("definite", "possible") if "--possible" in extra else ("definite",)
        reports = [f["rule"] for f in findings if f["confidence"] in kinds and self.category(f["rule"]) in CATEGORIES]
        return {"reports": len(reports), "others": len(findings) - len(reports), "seconds": seconds, "rules": sorted(set(reports))}

    def clang(self, program, _):
        return together([[self.programs["clang"], *self.cuda, "-fsyntax-only", "-Wall", "-Wextra", *program.options, str(source)]
                         for source in program.sources])

    def tidy(self, program, _):
        checks = "-*,concurrency-*,clang-analyzer-*"
        return together([[self.programs["clang-tidy"], "--quiet", "--checks=" + checks, str(source), "--", *self.cuda,
                          *program.options] for source in program.sources])

    def cppcheck(self, program, _):
        return together([["cppcheck", "--enable=all", "--language=c++", "--quiet", "--template={file}:{line}:{column}: {severity}: {message} [{id}]",
                          *[o for o in program.options if o[:2] in ("-D", "-I")], *map(str, program.sources)]])


def run(command):
    """(seconds of processor time, exit status, output)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        status, output = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        status, output = None, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3), status, output


def together(commands):
    """Diagnostics of several commands for one program."""
    total = {"reports": 0, "others": 0, "seconds": 0.0}
    for command in commands:
        seconds, status, output = run(command)
        total["seconds"] = round(total["seconds"] + seconds, 3)
        found = DIAGNOSTIC.findall(output)
        if status is None or any(kind == "fatal error" or kind == "error" and "clang-diagnostic-error" in text for kind, text in found) or \
                (command[0].startswith("clang++") and any(kind == "error" for kind, _ in found)):
            total["unread"] = True
        about = [text for _, text in found if SYNCHRONISATION.search(NAMES.sub("", text))]
        total["reports"] += len(about)
        total["others"] += len(found) - len(about)
        if about:
            total["text"] = about[0][:160]
    return total


def work(task):
    """In a process of its own, so that the time of its children is that of one tool."""
    tools, name, program = task
    call, extra = tools.known[name]
    return program.key, call(program, extra)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    suites.add_options(parser)
    parser.add_argument("--lint", required=True)
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--only", default="", help="these tools, with commas between them")
    parser.add_argument("--suites", default="", help="the programs of these suites alone, with commas between them")
    parser.add_argument("--new", action="store_true", help="programs without a result of the tool alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    folders, commits = suites.chosen(given)
    programs = [p for p in suites.all_programs(folders) if p.label != "out"]
    data = json.loads(given.out.read_text(encoding="utf-8")) if given.out.is_file() else {"tools": {}, "programs": {}}
    old = data["programs"]
    data["commits"] = commits
    data["programs"] = {p.key: {**old.get(p.key, {}), "suite": p.suite, "name": p.name, "label": p.label} for p in programs}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        tools = Tools(given, pathlib.Path(scratch))
        tools.category("divergent-barrier")
        for name in given.only.split(",") if given.only else tools.known:
            version = tools.version(name)
            if version is None:
                print("%s is not installed and left out" % name)
                continue
            data["tools"][name] = version
            asked = [p for p in programs if not (given.suites and p.suite not in given.suites.split(",")) and
                     not (given.new and name in data["programs"][p.key])]
            for n, (key, result) in enumerate(pool.map(work, [(tools, name, p) for p in asked])):
                data["programs"][key][name] = result
                if n % 50 == 49:
                    write(given.out, data)
            write(given.out, data)
            print("%s: %s" % (name, version), flush=True)
    return 0


def write(path, data):
    """A line for each program."""
    lines = ",\n".join("  %s: %s" % (json.dumps(key), json.dumps(row)) for key, row in data["programs"].items())
    head = json.dumps({"tools": data["tools"], "commits": data["commits"]}, indent=1)
    path.write_text(head[:-2] + ',\n "programs": {\n' + lines + "\n }\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
