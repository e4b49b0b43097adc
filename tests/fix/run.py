#!/usr/bin/env python3
"""Applies the fixes of all fixtures, in copies, and compares with what they should become.

    run.py --bin PATH [FOLDER...]        default: all folders of fixtures/

bad_x.fixed is bad_x.cu after --fix, bad_x.unsafe is it after --fix --unsafe-fixes where that gives something else; without
them nothing may change. Every run must have the properties of properties.py. UPDATE_SNAPSHOTS=1 rewrites the files.
"""

import argparse
import collections
import concurrent.futures
import copy
import difflib
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
import fixtures as fixture_files  # noqa: E402
import properties  # noqa: E402

ROOT = HERE.parent.parent
UPDATE = os.environ.get("UPDATE_SNAPSHOTS") == "1"


def groups_of(folders, optional_rules):
    """Files of one folder with the same arguments go into one run."""
    groups = collections.defaultdict(list)
    for folder in folders:
        for path in sorted(folder.glob("*.cu")):
            fixture = fixture_files.Fixture(path)
            arguments = fixture_files.arguments_of(fixture, optional_rules)
            groups[folder, tuple(arguments), tuple(fixture.compile)].append(path)
    return sorted(groups.items(), key=str)


def expected_of(path, unsafe):
    for suffix in ([".unsafe"] if unsafe else []) + [".fixed"]:
        if path.with_suffix(suffix).exists():
            return path.with_suffix(suffix).read_bytes()
    return path.read_bytes()


def code(text):
    """Without the directives for other tests, which may come and go."""
    return re.sub(rb"^// cuwarp-(run|emu|oracle|gpu|snapshot|ts):.*\n", b"", text, flags=re.M)


def record(path, unsafe, text):
    plain = path.read_bytes() if not unsafe else expected_of(path, False)
    file = path.with_suffix(".unsafe" if unsafe else ".fixed")
    if text != plain:
        file.write_bytes(text)
    elif file.exists():
        file.unlink()


def check_group(tool, folder, arguments, options, paths, unsafe):
    problems = []
    tool = copy.copy(tool)
    tool.compile = list(options)
    with tempfile.TemporaryDirectory(prefix="cuwarp-fix-") as place:
        for item in folder.iterdir():  # headers beside them, too
            if item.is_file() and item.suffix not in (".fixed", ".unsafe", ".expected"):
                shutil.copy(item, place)
        names = [p.name for p in paths]
        found, look, _, old, new = properties.check(tool, list(arguments), names, place)
        problems += [f"{folder.name}: {p}" for p in found]
        for path in paths:
            if UPDATE:
                record(path, unsafe, new[path.name])
            elif code(new[path.name]) != code(expected_of(path, unsafe)):
                problems.append(f"{folder.name}/{path.name}: {'--unsafe-fixes' if unsafe else '--fix'} gives something else:\n"
                                + diff(expected_of(path, unsafe), new[path.name]))
        changed = sum(old[n] != new[n] for n in names)
    return problems, changed, look


def offers_unsafe(look):
    return any(not fix["safe"] for finding in look.findings for fix in finding["fixes"])


def check_both(tools, folder, arguments, options, paths):
    """With the safe fixes, and with the unsafe ones where some are offered."""
    problems, changed, look = check_group(tools[False], folder, arguments, options, paths, False)
    if offers_unsafe(look) or UPDATE or any(p.with_suffix(".unsafe").exists() for p in paths):
        more, n, _ = check_group(tools[True], folder, arguments, options, paths, True)
        return problems + more, changed + n
    return problems, changed


def diff(wanted, text):
    return "".join(difflib.unified_diff(properties.lines(wanted), properties.lines(text), "expected", "fixed"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    folders = [f.resolve() for f in options.folders] or sorted({p.parent for p in (ROOT / "fixtures").rglob("bad_*.cu")})
    groups = groups_of(folders, fixture_files.off_by_default(str(options.bin.resolve())))
    failed = changed = 0
    tools = {unsafe: properties.Tool(options.bin, ["--unsafe-fixes"] if unsafe else []) for unsafe in (False, True)}
    tools[True].cache = tools[False].cache  # the first look is the same
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(check_both, tools, folder, arguments, compiled, paths)
                for (folder, arguments, compiled), paths in groups]
        for job in jobs:
            problems, n = job.result()
            failed += len(problems)
            changed += n
            for p in problems:
                print(p, flush=True)
    print(f"{len(groups)} groups of fixtures, {changed} files fixed, {failed} problems")
    return 1 if failed or not changed else 0


if __name__ == "__main__":
    sys.exit(main())
