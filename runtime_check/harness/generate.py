#!/usr/bin/env python3
"""Writes the translation units of the driver programs: all registered files, dealt out to a number of programs.

    generate.py --out DIR [--sources DIR] [--architecture N] [--record] [--units N] [--map FILE]

Few units, since most of the time that a unit takes goes into headers that all of them include; several, since they are compiled
beside each other. --map gets {CASE: {"program", "space", "call"}}: the program that has it, and the namespace and function by
which a tool's report can be told to be about it. --sources is a folder to take the fixtures from instead of fixtures/: skewed
copies (prepare.py); those that are not there are left out, and so are files that need more than the architecture (75, 80 …)
offers. Prints the units' paths, one per line, for CMake.
"""

import argparse
import json
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


def space_of(number):
    return "fixture_%d" % number


def call_of(number):
    return "case_%d" % number


def calls(case):
    return ["    %s;" % run.call("CUWARP_BOUNDED") for run in case.runs]


def unit_of(path, cases, number):
    """One fixture in a namespace of its own, and its cases."""
    space = space_of(number)
    text = path.read_text(encoding="utf-8")
    lines = ["namespace %s {" % space, '#include "%s"' % path]
    for i, case in enumerate(cases):
        lines.append("static void %s() {" % call_of(i))
        lines += calls(case)
        lines.append("}")
        lines.append('static const bool added_%d = ::cuwarp_driver::add_case("%s", %s, %s);' % (
            i, case.name, call_of(i), "true" if case.is_single_block() else "false"))
    lines.append("}")
    lines += ["#undef " + name for name in sorted(set(DEFINE.findall(text)))]
    return "\n".join(lines) + "\n", INCLUDE.findall(text)


def program_of(groups, header, additions):
    """groups: [(path, cases)] of one program; `header`: what the marked files need to have been included, or None"""
    bodies, includes = [], []
    for number, (path, cases) in enumerate(groups):
        body, wanted = unit_of(path, cases, number)
        bodies.append(body)
        includes += [name for name in wanted if name not in includes]
    head = ['#include "%s"' % path for path in (DRIVER, header) if path]
    head += ["#include " + name for name in includes]
    return "\n".join(head) + "\n\n" + "\n".join(bodies) + MAIN % additions


def dealt(groups, units):
    """`groups`, [(path, cases)], dealt out to at most `units` lists of about the same number of launches."""
    lists = [[0, []] for _ in range(units)]
    for path, cases in sorted(groups, key=lambda group: (-sum(len(case.runs) for case in group[1]), group[0])):
        least = min(lists, key=lambda one: one[0])
        least[0] += 2 + sum(len(case.runs) for case in cases)  # a file is worth about two launches
        least[1].append((path, cases))
    return [sorted(members) for _, members in lists if members]


def map_of(program, groups):
    return {case.name: {"program": program, "space": space_of(number), "call": call_of(i)}
            for number, (_, cases) in enumerate(groups) for i, case in enumerate(cases)}


def write_when_changed(path, text):
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=pathlib.Path, default=FIXTURES, help="where fixtures are taken from")
    parser.add_argument("--architecture", type=int, default=75)
    parser.add_argument("--specific", action="store_true", help="with the instructions of sm_90a")
    parser.add_argument("--record", action="store_true", help="record who comes to the marked places instead of delaying them")
    parser.add_argument("--units", type=int, default=8, help="at most so many programs; %(default)s")
    parser.add_argument("--map", type=pathlib.Path, help="write here which program has which case")
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
    by_path = {}
    for case in cases.values():
        path = options.sources / case.path.relative_to(FIXTURES)
        if path.is_file() and options.architecture >= case.least_architecture() and (
                options.specific or not case.is_of_one_architecture()):
            by_path.setdefault(path, []).append(case)
    options.out.mkdir(parents=True, exist_ok=True)
    known = {}
    for number, groups in enumerate(dealt(by_path.items(), options.units)):
        program = "unit_%d" % number
        known.update(map_of(program, groups))
        write_when_changed(options.out / (program + ".cu"), program_of(groups, header, additions))
        print(options.out / (program + ".cu"))
    if options.map:
        options.map.parent.mkdir(parents=True, exist_ok=True)
        write_when_changed(options.map, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
