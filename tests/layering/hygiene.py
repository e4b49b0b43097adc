#!/usr/bin/env python3
"""Fails on marks of unfinished work, on names of package hosts, on long lines, on short names, on rules that are not complete, on
quotes of another version than that of CMakeLists.txt, and on pages and tools that docs/internals/index.md does not name.

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
SUBJECT = 72
SINCE = "471185c5"  # the commit of 0.2.0
# Written in pieces so that this file does not find itself.
MARKS = re.compile(r"\b(%s)\b" % "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]))
HOSTS = re.compile(r"https?://[\w.]*(%s)\b" % "|".join(["py" + "pi", "python" + "hosted", "deb" + "ian", "npm" + "js"]))
# Shares of names that say little, in percent. They may fall, and not rise; the goals are 15 and 5.
ONE_LETTER_PARAMETERS = 8.9
ONE_WORD_STATICS = 0.5
FUNCTION = re.compile(r"^(?P<before>[A-Za-z_][\w ]*[ *]+)(?P<name>\w+)\((?P<parameters>[^;{}]*)\)\s*\{", re.M)
VERSION = re.compile(r"^project\(cuwarp-lint VERSION (\S+)", re.M)
# How texts name the version that is to be installed or used.
QUOTED = re.compile(r"cuwarp-lint(?:@v|==)(\d[\d.]*\d)|cuwarp_lint-(\d[\d.]*\d)|cuwarp-lint_(\d[\d.]*\d)_|\brev: v(\d[\d.]*\d)|"
                    r"default: \"==(\d[\d.]*\d)\"")
QUOTING = ("docs/usage", "packages", "action.yml", "editors", "README.md")
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


def parameter_names(parameters):
    """The names of a parameter list, of which a function pointer is one."""
    depth, parts = 0, [""]
    for c in parameters:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    for part in parts:
        found = re.search(r"\(\*\s*(\w+)\s*\)", part) or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part.strip())
        if found and part.strip() not in ("void", "..."):
            yield found[1]


class Names:
    """Counts the names of functions that are defined in the texts."""

    def __init__(self):
        self.parameters = self.letters = self.statics = self.words = 0

    def add(self, text):
        for function in FUNCTION.finditer(re.sub(r"/\*.*?\*/", " ", text, flags=re.S)):
            for name in parameter_names(function["parameters"]):
                self.parameters += 1
                self.letters += len(name) == 1
            if "static" in function["before"].split():
                self.statics += 1
                self.words += "_" not in function["name"]

    def violations(self):
        shares = [("parameters have one letter", self.letters, self.parameters, ONE_LETTER_PARAMETERS),
                  ("names of static functions are one word", self.words, self.statics, ONE_WORD_STATICS)]
        for what, count, all_of_them, cap in shares:
            share = 100 * count / max(all_of_them, 1)
            print("%.1f %% of %d %s (cap: %.1f %%)" % (share, all_of_them, what, cap))
            if share > cap:
                yield "%.1f %% of all %s (cap: %.1f %%); rename those of the change" % (share, what, cap)


def version_violations(path, text, version):
    if not str(path).startswith(QUOTING):
        return
    for match in QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group)
        if quoted != version:
            yield "%s:%d: version %s, and CMakeLists.txt says %s" % (path, text.count("\n", 0, match.start()) + 1, quoted, version)


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


def print_subjects(root):
    """Subjects of commits since 0.2.0, where the history is at hand; those that are there stay as they are."""
    try:
        subjects = subprocess.run(["git", "-C", str(root), "log", "--no-merges", "--format=%s", SINCE + "..HEAD"], check=True,
                                  capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return
    print("%d of %d subjects of commits are longer than %d characters"
          % (sum(len(subject) > SUBJECT for subject in subjects), len(subjects), SUBJECT))


def index_violations(root):
    """Each page of the internals and each tool is named in their index; without the folder there is nothing to name."""
    index = root / "docs/internals/index.md"
    text = index.read_text(encoding="utf-8") if index.is_file() else ""
    for page in sorted((root / "docs/internals").glob("*.md")):
        if page != index and "(%s)" % page.name not in text:
            yield "docs/internals/index.md: does not name %s" % page.name
    for tool in sorted((root / "tools").glob("*")):
        if tool.is_file() and "`tools/%s" % tool.name not in text:
            yield "docs/internals/index.md: does not name tools/%s" % tool.name
    sources = {path.name for top in ("analyzer", "rules", "tests", "runtime_check") for path in (root / top).rglob("*.[chd]*")}
    for page in sorted((root / "docs/internals").glob("*.md")) if sources else []:
        for name in re.findall(r"(?<![\w./<*-])\w+\.(?:c|h|def)\b", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)):
            if name not in sources:
                yield "%s: there is no source %s" % (page.relative_to(root), name)
    for name in re.findall(r"`((?:analyzer|tests|tools)/[\w/.-]+[\w/])`", text):
        if not (root / name).exists():
            yield "docs/internals/index.md: there is no %s" % name


def self_test():
    sample = "// " + "TO" + "DO: later\nhttps://" + "py" + "pi.org/simple\nmkstemp(\"/tmp/aXXXXXX\") hackney\n"
    if len(list(text_violations("sample", sample))) != 2:
        sys.exit("hygiene: the sample does not give its two violations")
    if count_long("é" * WIDTH + "\n" + "x" * (WIDTH + 1)) != 1:
        sys.exit("hygiene: columns are miscounted")
    names = Names()
    names.add("static int f(int a, void (*call)(int, int), char b[2]) {\n}\nint get_it(void) {\n}\nstatic int add_it(long x) {\n}\n")
    if (names.parameters, names.letters, names.statics, names.words) != (4, 3, 2, 1):
        sys.exit("hygiene: names are miscounted")
    if len(list(version_violations("docs/usage/a.md", "cuwarp-lint==0.1.0 cuwarp-lint@v0.2.0 cuwarp_lint-0.1.0-*", "0.2.0"))) != 2:
        sys.exit("hygiene: quotes of the version are not seen")


def main(root):
    self_test()
    bad, count, long_lines, names = [], 0, 0, Names()
    version = VERSION.search((root / "CMakeLists.txt").read_text(encoding="utf-8"))[1] if (root / "CMakeLists.txt").exists() else ""
    for file in project_files(root):
        if file.suffix not in TEXT or not file.is_file() or file.name == "LICENSE":
            continue
        count += 1
        path, text = file.relative_to(root), file.read_text(encoding="utf-8", errors="replace")
        bad += text_violations(path, text)
        bad += version_violations(path, text, version) if version else []
        if path.suffix == ".c" and path.parts[0] in ("analyzer", "rules"):
            names.add(text)
        long_lines += count_long(text) if is_code(path) else 0
    bad += rule_violations(root)
    bad += index_violations(root)
    if not (root / "analyzer").is_symlink():  # a copy of the rules alone
        bad += names.violations()
    if long_lines > LONG_LINES:
        bad.append("%d lines of C are longer than %d columns (cap: %d); wrap those of the change"
                   % (long_lines, WIDTH, LONG_LINES))
    print_subjects(root)
    print("\n".join(bad))
    print("%d lines of C are longer than %d columns" % (long_lines, WIDTH))
    print("%d files, %d violations" % (count, len(bad)))
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
