"""What holds of every run of --fix, checked from outside: on fixtures (run.py) and on any tree (sweep.py).

A tree is copied, looked at, fixed, looked at again and fixed again. Then
  - each changed line lies in an edit that the first look offered for some finding, or a later round may have offered;
  - what is found afterwards was found before, and each file that changed has fewer findings; but what is slow may show only
    when code can be followed that could not be before;
  - the parser has nothing to say that it did not say before, and as many kernels are understood;
  - the second --fix changes nothing.
"""

import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import tempfile

FIXED = re.compile(r"fixed (\d+) findings? in (\d+) files?")
DROPPED = re.compile(r"^cuwarp-lint: (.*?):(\d+): fix of (\S+) dropped \((.*?)\): (.*)$", re.M)
NOTE = re.compile(r"^cuwarp-lint: (.*?):\d+:\d+: parser: (.*)$", re.M)


class Tool:
    def __init__(self, binary, fix_arguments=(), timeout=3600):
        self.binary, self.timeout = str(pathlib.Path(binary).resolve()), timeout
        self.fix_arguments = list(fix_arguments)
        self.compile = []  # `--` and options of the compiler, behind the paths
        rules = subprocess.run([self.binary, "rules", "--output", "json"], capture_output=True, check=True).stdout
        self.perf = {r["rule"] for r in json.loads(rules) if r["category"] == "perf"}
        self.cache = tempfile.TemporaryDirectory(prefix="cuwarp-cache-")  # most files are the same in all runs

    def run(self, arguments, cwd):
        env = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", XDG_CACHE_HOME=self.cache.name)
        return subprocess.run([self.binary, *arguments, *self.compile], cwd=cwd, env=env, capture_output=True, timeout=self.timeout)

    def look(self, arguments, paths, cwd):
        done = self.run([*arguments, "-v", "--possible", "--output", "json", *paths], cwd)
        text = done.stderr.decode("utf-8", "replace")
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            raise SystemExit(f"no report (exit status {done.returncode}): {text[-2000:]}")
        return Look(report, NOTE.findall(text))

    def fix(self, arguments, paths, cwd):
        done = self.run([*arguments, *self.fix_arguments, "-v", "--fix", "--output", "json", *paths], cwd)
        return Fix(done.stderr.decode("utf-8", "replace"), done.returncode)


class Look:
    def __init__(self, report, notes):
        self.findings, self.coverage, self.notes = report["findings"], report["coverage"], notes


class Fix:
    def __init__(self, text, status):
        self.text, self.status = text, status
        found = FIXED.search(text)
        self.findings, self.files = (int(found[1]), int(found[2])) if found else (0, 0)
        self.dropped = [{"file": d[0], "line": int(d[1]), "rule": d[2], "fix": d[3], "reason": d[4]}
                        for d in DROPPED.findall(text)]


def read_tree(root, paths):
    files = {}
    for path in paths:
        full = pathlib.Path(root, path)
        for p in [full] if full.is_file() else sorted(x for x in full.rglob("*") if x.is_file() and not x.is_symlink()):
            if p.suffix in (".cu", ".cuh", ".h", ".hpp", ".cpp", ".c", ".cc", ".inl", ".hcu"):
                files[str(p.relative_to(root))] = p.read_bytes()
    return files


def lines(data):
    return data.decode("latin-1").splitlines(keepends=True)


def changed_lines(old, new):
    """Of the old text, from 1; for an insertion the line that it stands before."""
    matcher = difflib.SequenceMatcher(None, lines(old), lines(new), autojunk=False)
    for kind, first, last, _, _ in matcher.get_opcodes():
        if kind != "equal":
            yield from range(first + 1, max(last, first + 1) + 1)


def offered_lines(look):
    offered = collections.defaultdict(set)
    for f in look.findings:
        for fix in f["fixes"]:
            for edit in fix["edits"]:
                offered[edit["file"]].update(range(edit["line"] - 1, edit["end_line"] + 2))
    return offered


def statement_of(files, f):
    """A finding without its line number: rule, function, and the text that it points at, a call as it was before it got
    its mask."""
    text = lines(files.get(f["file"], b""))
    line = text[f["line"] - 1] if 0 < f["line"] <= len(text) else ""
    pointed = re.sub(r"^(\w+)_sync\(0xffffffff(, )?", r"\1(", line[max(f["column"] - 1, 0):])
    return f["rule"], f["file"], re.sub(r"\W+", "", pointed[:12])


def compare_findings(before, after, old, new, exempt):
    counts = collections.Counter(statement_of(old, f) for f in before.findings)
    for f in after.findings:
        key = statement_of(new, f)
        if counts[key] <= 0 and f["rule"] not in exempt:
            yield f"{f['file']}:{f['line']}: found after the fix only: {f['rule']}: {f['message']}"
        counts[key] -= 1
    edited = set()  # a fix may lie in another file than its finding
    for f in before.findings:
        if counts[statement_of(old, f)] > 0:
            edited.update(edit["file"] for fix in f["fixes"] for edit in fix["edits"])
    for path in sorted(old):
        if old[path] != new[path] and path not in edited:
            yield f"{path}: changed, but no finding of it went"


def compare_coverage(before, after):
    new = collections.Counter(after.notes) - collections.Counter(before.notes)
    for path, text in sorted(new):
        yield f"{path}: said by the parser after the fix only: {text}"
    # Whether a kernel is complete or in part may change: a question that the finding answered is asked again without it.
    for name, keys in (("kernels", ["kernels"]), ("kernels read", ["analysed", "degraded"])):
        was, now = (sum(run.coverage[key] for key in keys) for run in (before, after))
        if was != now:
            yield f"{name}: {was} before the fix, {now} after it"


def compare_text(before, old, new, rounds):
    if old.keys() != new.keys():
        yield f"files came or went: {sorted(old.keys() ^ new.keys())}"
    offered = offered_lines(before)
    for path in sorted(old.keys() & new.keys()):
        if old[path] == new[path] or rounds > 1:
            continue
        for line in sorted(set(changed_lines(old[path], new[path])) - offered[path]):
            yield f"{path}:{line}: changed, but no fix offered that"


def check(tool, arguments, paths, root):
    """Fixes the files in place. Returns the problems, the first look, the run of --fix, and the texts before and after."""
    old = read_tree(root, paths)
    before = tool.look(arguments, paths, root)
    fix = tool.fix(arguments, paths, root)
    new = read_tree(root, paths)
    after = tool.look(arguments, paths, root)
    again = tool.fix(arguments, paths, root)
    problems = [] if fix.status in (0, 1, 3) else [f"exit status {fix.status}: {fix.text[-1000:]}"]
    problems += compare_findings(before, after, old, new, tool.perf)
    problems += compare_coverage(before, after)
    problems += compare_text(before, old, new, 1)
    if read_tree(root, paths) != new or again.findings:
        problems.append("the second --fix changed something")
    return problems, before, fix, old, new
