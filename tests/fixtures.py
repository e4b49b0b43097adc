#!/usr/bin/env python3
"""Runs cuwarp-lint on fixtures, and compares its findings with the comments that announce them.

    fixtures.py --bin PATH [PATH...]        files or folders; default: fixtures/

The forms of the comments are in rules/README.md. UPDATE_SNAPSHOTS=1 rewrites the *.expected files of fixtures that ask for
a snapshot. Exit status 1 when anything differs.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import difflib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPECTATION = re.compile(r"//~(?P<where>\^+|v+)?\s+(?P<severity>error|warning|info)(?P<possible>\(possible\))?:\s+(?P<rule>[a-z0-9-]+)")
DIRECTIVE = re.compile(r"(?://|#)\s*cuwarp-(args|compile|snapshot|degraded):\s*(.*)")
FOR_OTHERS = re.compile(r"//\s*cuwarp-(run|emu|oracle|gpu):")  # tests/emu and runtime_check
ANY_DIRECTIVE = re.compile(r"^\s*(?://|#)\s*cuwarp-\w+:")
SUSPECT = re.compile(r"//~")
SOURCES = (".cu", ".py", ".cpp")

Finding = collections.namedtuple("Finding", "line severity confidence rule")


class Fixture:
    """One file: its text, and what its comments say."""

    def __init__(self, path):
        self.path = path
        self.lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        self.args, self.compile, self.snapshot, self.degraded = [], [], None, False
        self.expected, self.malformed = [], []
        self.comment = "#" if path.suffix == ".py" else "//"
        self.read_directives()
        self.read_expectations()

    def read_directives(self):
        for number, line in enumerate(self.lines, start=1):
            if line.strip() and not line.lstrip().startswith(self.comment):
                return
            found = DIRECTIVE.search(line)
            if not found:
                if ANY_DIRECTIVE.match(line) and not FOR_OTHERS.search(line):
                    self.malformed.append(number)
                continue
            if found[1] == "args":
                self.args += shlex.split(found[2])
            elif found[1] == "compile":
                self.compile += ["--", *shlex.split(found[2])]
            elif found[1] == "snapshot":
                self.snapshot = found[2].strip()
            else:
                self.degraded = True

    def read_expectations(self):
        for number, line in enumerate(self.lines, start=1):
            found = list(EXPECTATION.finditer(line))
            if len(found) != len(SUSPECT.findall(line)):
                self.malformed.append(number)
            for m in found:
                where = m["where"] or ""
                offset = len(where) * (-1 if where.startswith("^") else 1)
                confidence = "possible" if m["possible"] else "definite"
                self.expected.append(Finding(number + offset, m["severity"], confidence, m["rule"]))

    @property
    def name(self):
        return str(self.path.relative_to(ROOT)) if self.path.is_relative_to(ROOT) else str(self.path)

    @property
    def is_good(self):
        return self.path.name.startswith("good_")

    @property
    def is_bad(self):
        return self.path.name.startswith("bad_")


def run(binary, arguments, cwd, text=None):
    env = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1")
    return subprocess.run([binary, *arguments], cwd=cwd, env=env, capture_output=True, input=text, timeout=300)


def off_by_default(binary):
    listed = run(binary, ["rules", "--output", "json"], ROOT)
    return {r["rule"] for r in json.loads(listed.stdout) if not r["default"]}


def arguments_of(fixture, optional_rules):
    rule = fixture.path.parent.name
    return (["--extend-select", rule] if rule in optional_rules else []) + fixture.args


def differences(fixture, report):
    found = collections.Counter(Finding(f["line"], f["severity"], f["confidence"], f["rule"]) for f in report["findings"]
                                if f["file"] == fixture.path.name)
    expected = collections.Counter(fixture.expected)
    messages = {(f["line"], f["rule"]): f["message"] for f in report["findings"]}
    for f in sorted((expected - found).elements()):
        yield f"line {f.line}: expected {f.severity} ({f.confidence}) {f.rule}, not reported"
    for f in sorted((found - expected).elements()):
        yield f"line {f.line}: unexpected {f.severity} ({f.confidence}) {f.rule}: {messages[f.line, f.rule]}"
    for f in report["findings"]:
        if f["file"] != fixture.path.name:
            yield f"unexpected finding in {f['file']}:{f['line']}: {f['rule']}"


def coverage_problems(fixture, report):
    """A file that was not understood would be silent for the wrong reason."""
    coverage = report["coverage"]
    for failed in coverage["failed"]:
        yield f"could not be analysed: {failed['reason']}"
    for skipped in coverage["skipped"]:
        yield f"kernel {skipped['kernel']} skipped: {skipped['reason']}"
    unread = any(r["analysis"] == "reading" for kernel in coverage["partial"] for r in kernel["reasons"])
    if unread and not fixture.degraded:
        yield "a kernel was understood in part only (say why with '// cuwarp-degraded: ...' if it must be)"


def consistency_problems(fixture):
    for line in fixture.malformed:
        yield f"line {line}: malformed expectation or directive"
    if fixture.is_good and fixture.expected:
        yield "a good fixture announces findings"
    if fixture.is_bad and not fixture.expected:
        yield "a bad fixture announces no finding"


def snapshot_problems(binary, fixture, arguments):
    if fixture.snapshot != "text":
        yield f"unknown kind of snapshot '{fixture.snapshot}'"
        return
    out = run(binary, ["--no-cache", *arguments, fixture.path.name, *fixture.compile], fixture.path.parent).stdout.decode("utf-8", "replace")
    expected = fixture.path.with_suffix(".expected")
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        expected.write_text(out, encoding="utf-8")
        return
    wanted = expected.read_text(encoding="utf-8") if expected.exists() else ""
    if out != wanted:
        yield "text output differs from its snapshot:\n" + "".join(
            difflib.unified_diff(wanted.splitlines(True), out.splitlines(True), expected.name, "output"))


def git(folder, *arguments):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, env=env, check=True,
                   capture_output=True)


def base_of(fixture):
    """Its past version: a file of the same name in .base."""
    return fixture.path.with_suffix(".base")


@contextlib.contextmanager
def placed(fixtures):
    """Where fixtures of one group are linted, and arguments more: those with a past version lie in a repository of their own."""
    if not base_of(fixtures[0]).exists():
        yield fixtures[0].path.parent, []
        return
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q")
        for fixture in fixtures:
            shutil.copy(base_of(fixture), pathlib.Path(folder) / fixture.path.name)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "before")
        for fixture in fixtures:
            shutil.copy(fixture.path, folder)
        yield folder, ["--since", "HEAD"]


def of_file(report, name):
    """What a report over several files says of one of them; a finding in a header counts for every file."""
    coverage = {key: [entry for entry in entries if entry.get("file") in (name, None)]
                for key, entries in report["coverage"].items() if isinstance(entries, list)}
    return {"findings": [f for f in report["findings"] if f["file"] == name or not f["file"].endswith(SOURCES)], "coverage": coverage}


def lint(binary, fixtures, arguments, folder):
    """One run over fixtures of one folder that ask for the same arguments: what is wrong with each."""
    done = run(binary, ["--no-cache", *arguments, "--output", "json", *(f.path.name for f in fixtures), *fixtures[0].compile],
               folder)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        why = f"no report (exit status {done.returncode}): {done.stderr.decode('utf-8', 'replace').strip()}"
        return {f.path: [why] for f in fixtures}
    problems = {}
    for fixture in fixtures:
        part = of_file(report, fixture.path.name)
        problems[fixture.path] = [*differences(fixture, part), *coverage_problems(fixture, part)]
    return problems


def check(binary, fixtures, arguments):
    """All problems of fixtures that one run can lint, by fixture."""
    with placed(fixtures) as (folder, more):
        problems = lint(binary, fixtures, [*arguments, *more], folder)
    for fixture in fixtures:
        found = problems[fixture.path]
        found[:0] = consistency_problems(fixture)
        if fixture.snapshot and not found:
            found += snapshot_problems(binary, fixture, arguments)
    return problems


def groups_of(fixtures, optional_rules):
    """Fixtures of one folder with the same arguments share a run; those with a past version have their own."""
    groups = collections.defaultdict(list)
    for fixture in fixtures:
        has_base = base_of(fixture).exists()
        key = fixture.path.parent, tuple(arguments_of(fixture, optional_rules)), tuple(fixture.compile), has_base
        groups[key].append(fixture)
    return [(members, list(arguments)) for (_, arguments, _, _), members in groups.items()]


def collect(paths):
    for path in paths:
        path = pathlib.Path(path).resolve()
        if path.is_dir():
            yield from (Fixture(p) for p in sorted(path.rglob("*")) if p.suffix in SOURCES)
        else:
            yield Fixture(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the cuwarp-lint to test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "fixtures")])
    options = parser.parse_args()
    binary = str(pathlib.Path(options.bin).resolve())
    fixtures = list(collect(options.paths))
    optional_rules = off_by_default(binary)
    failed = 0
    groups = groups_of(fixtures, optional_rules)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for members, found in zip(groups, pool.map(lambda group: check(binary, *group), groups)):
            for fixture in members[0]:
                failed += bool(found[fixture.path])
                for problem in found[fixture.path]:
                    print(f"{fixture.name}: {problem}")
    announced = sum(len(f.expected) for f in fixtures)
    print(f"{len(fixtures)} fixtures, {announced} findings announced, {failed} fixtures failed")
    return 1 if failed or not fixtures else 0


if __name__ == "__main__":
    sys.exit(main())
