#!/usr/bin/env python3
"""Fails on marks of unfinished work, on names of package hosts, on long lines, and on rules that are not complete.

    hygiene.py SOURCE_DIR

A complete rule has a line in rules.def, one file rules/<category>/<id>.c of at most 150 lines, and fixtures of both kinds:
at least one, and eight of each kind for the rules whose subject has many shapes (races, spins).
"""

import pathlib
import re
import subprocess
import sys

MAX_RULE_LINES = 150
MANY_FIXTURES = 8
WIDTH = 120
LONG_LINES = 0  # of C
# Written in pieces so that this file does not find itself.
MARKS = re.compile(r"\b(%s)\b" % "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]))
HOSTS = re.compile(r"https?://[\w.]*(%s)\b" % "|".join(["py" + "pi", "python" + "hosted", "deb" + "ian", "npm" + "js"]))
RULE_INCLUDE = re.compile(r"^#include .*\n", re.M)  # not counted among a rule's lines
RULE = re.compile(r'^CW_RULE\((\w+), "([a-z0-9-]+)", "([a-z]+)"', re.M)
TEXT = {".c", ".h", ".def", ".cu", ".cuh", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".yml", ".yaml", ""}


def project_files(root):
    """What git would know of, or without git everything outside of build and hidden folders."""
    try:
        names = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        return [root / name for name in names]
    except (OSError, subprocess.CalledProcessError):
        return [f for f in root.rglob("*")
                if not any(part == "build" or part.startswith(".") for part in f.relative_to(root).parts)]


def text_violations(path, text):
    for pattern, what in ((MARKS, "mark of unfinished work"), (HOSTS, "name of a package host")):
        for match in pattern.finditer(text):
            yield "%s:%d: %s: %s" % (path, text.count("\n", 0, match.start()) + 1, what, match[0])


def count_long(text):
    return sum(len(line) > WIDTH for line in text.splitlines())


def is_code(path):
    """Written by hand: the headers of the shim keep the shape of those that they stand for."""
    return path.suffix in (".c", ".h") and "shim/include" not in str(path)


def rule_violations(root):
    rules = RULE.findall((root / "rules/rules.def").read_text(encoding="utf-8"))
    if not rules:
        yield "rules/rules.def: no rule was found; its form has changed"
    for ident, name, category in rules:
        if name.replace("-", "_") != ident:
            yield "rules/rules.def: %s and %s are not the same name" % (ident, name)
        file = root / "rules" / category / (ident + ".c")
        if not file.is_file():
            yield "%s: %s is missing" % (name, file.relative_to(root))
        elif (lines := len(RULE_INCLUDE.sub("", file.read_text(encoding="utf-8")).splitlines())) > MAX_RULE_LINES:
            yield "%s: %d lines (cap: %d)" % (file.relative_to(root), lines, MAX_RULE_LINES)
        for kind in ("bad", "good"):
            wanted = MANY_FIXTURES if category == "race" or name == "intra-warp-spin" else 1
            if (have := len(list((root / "fixtures" / name).glob(kind + "_*.cu")))) < wanted:
                yield "fixtures/%s: %d %s_*.cu, and %d are wanted" % (name, have, kind, wanted)
    known = {(category, ident) for ident, _, category in rules}
    for file in sorted((root / "rules").glob("*/*.c")):
        if (file.parent.name, file.stem) not in known:
            yield "%s: not in rules.def" % file.relative_to(root)


def self_test():
    sample = "// " + "TO" + "DO: later\nhttps://" + "py" + "pi.org/simple\nmkstemp(\"/tmp/aXXXXXX\") hackney\n"
    if len(list(text_violations("sample", sample))) != 2:
        sys.exit("hygiene: the sample does not give its two violations")
    if count_long("é" * WIDTH + "\n" + "x" * (WIDTH + 1)) != 1:
        sys.exit("hygiene: columns are miscounted")


def main(root):
    self_test()
    bad, count, long_lines = [], 0, 0
    for file in project_files(root):
        if file.suffix not in TEXT or not file.is_file() or file.name == "LICENSE":
            continue
        count += 1
        path, text = file.relative_to(root), file.read_text(encoding="utf-8", errors="replace")
        bad += text_violations(path, text)
        long_lines += count_long(text) if is_code(path) else 0
    bad += rule_violations(root)
    if long_lines > LONG_LINES:
        bad.append("%d lines of C are longer than %d columns (cap: %d); wrap those of the change"
                   % (long_lines, WIDTH, LONG_LINES))
    print("\n".join(bad))
    print("%d files, %d violations" % (count, len(bad)))
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
