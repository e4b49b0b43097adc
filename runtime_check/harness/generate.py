#!/usr/bin/env python3
"""Writes the translation units of the driver programs: one per folder of fixtures, with all its registered files.

    generate.py --out DIR [--sources DIR] [--architecture N] [--record]

--sources is a folder to take the fixtures from instead of fixtures/: skewed copies (prepare.py); those that are not there are
left out, and so are files that need more than the architecture (75, 80 …) offers. Prints the units' paths, one per line, for CMake.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import registry  # noqa: E402
from headers import FIXTURES, ROOT, Malformed  # noqa: E402

DRIVER = ROOT / "runtime_check" / "harness" / "driver.cuh"
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(<[^>]+>)", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
MAIN = """
int main(int argc, char **argv) {
    cuwarp_driver::additions a;
%s    return cuwarp_driver::main_of(argc, argv, a);
}
"""
SKEWED = """    a.set_skew = [](unsigned seed) { cuwarp_driver::check(cuwarp_skew_set_seed(seed), "seed"); };
"""
RECORDED = """    a.before_case = cuwarp_record::begin;
    a.after_launch = cuwarp_record::after_launch;
    a.after_case = cuwarp_record::print;
"""


def calls(case):
    return ["    %s;" % run.call("CUWARP_BOUNDED") for run in case.runs]


def unit_of(path, cases, number):
    """One fixture in a namespace of its own, and its cases."""
    space = "fixture_%d" % number
    text = path.read_text(encoding="utf-8")
    lines = ["namespace %s {" % space, '#include "%s"' % path]
    for i, case in enumerate(cases):
        lines.append("static void case_%d() {" % i)
        lines += calls(case)
        lines.append("}")
        lines.append('static const bool added_%d = ::cuwarp_driver::add_case("%s", case_%d);' % (i, case.name, i))
    lines.append("}")
    lines += ["#undef " + name for name in sorted(set(DEFINE.findall(text)))]
    return "\n".join(lines) + "\n", INCLUDE.findall(text)


def program_of(groups, header, additions):
    """groups: [(path, cases)] of one folder; `header`: what the marked files need to have been included, or None"""
    bodies, includes = [], []
    for number, (path, cases) in enumerate(groups):
        body, wanted = unit_of(path, cases, number)
        bodies.append(body)
        includes += [name for name in wanted if name not in includes]
    head = ['#include "%s"' % path for path in (DRIVER, header) if path]
    head += ["#include " + name for name in includes]
    return "\n".join(head) + "\n\n" + "\n".join(bodies) + MAIN % additions


def write_when_changed(path, text):
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=pathlib.Path, default=FIXTURES, help="where fixtures are taken from")
    parser.add_argument("--architecture", type=int, default=75)
    parser.add_argument("--record", action="store_true", help="record who comes to the marked places instead of delaying them")
    options = parser.parse_args()
    options.sources = options.sources.resolve()
    try:
        _, cases = registry.load()
    except Malformed as e:
        print(e, file=sys.stderr)
        return 1
    skew, header, additions = options.sources / "cuwarp_skew.h", None, ""
    if options.record:
        header, additions = DRIVER.parent / "record.cuh", RECORDED
    elif skew.is_file():
        header, additions = skew, SKEWED
    folders = {}
    for case in cases.values():
        if options.architecture >= 80 or not case.needs_80():
            folders.setdefault(case.path.parent.name, {}).setdefault(case.path, []).append(case)
    options.out.mkdir(parents=True, exist_ok=True)
    for folder, by_path in sorted(folders.items()):
        groups = [(options.sources / path.relative_to(FIXTURES), group) for path, group in by_path.items()]
        groups = [(path, group) for path, group in groups if path.is_file()]
        if not groups:
            continue
        target = options.out / (folder + ".cu")
        write_when_changed(target, program_of(groups, header, additions))
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
