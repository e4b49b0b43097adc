#!/usr/bin/env python3
"""Generated trees that stress a run as a whole, and what they cost.

    trees.py --tool FILE [--headers 10000] [--files 20000] [--more-files 100000]

Prints, for each tree: wall time, processor time of user and system, and the peak memory of the process that runs the
workers. Trees: one named file whose headers lie in a tree of --headers others (without and with a cycle through ".."),
and folders of --files and --more-files small sources without device code.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

KERNEL = "__global__ void k(int *p) { p[0] = 1; }\n"


def header_tree(root, count):
    """Modules of 50 headers; each includes the next five of its module, and one that is nowhere."""
    for i in range(count):
        module = root / ("m%d" % (i // 1000)) / ("s%d" % (i // 50 % 20))
        folder = module / "include" / ("p%d" % (i // 50))
        folder.mkdir(parents=True, exist_ok=True)
        others = "".join('#include "p%d/h%d.h"\n' % (i // 50, i // 50 * 50 + (i + k) % 50) for k in range(1, 6))
        (folder / ("h%d.h" % i)).write_text("#pragma once\n%s#include <nowhere/x%d.h>\n" % (others, i))
    (root / "CMakeLists.txt").write_text("")
    (root / "src").mkdir()
    wanted = "".join('#include "p%d/h%d.h"\n' % (i, i * 50) for i in range(0, min(count // 50, 40)))
    (root / "src" / "k.cu").write_text(wanted + KERNEL)
    return root / "src" / "k.cu"


def cyclic_tree(root, count):
    """Headers that include each other through "..", so that their names could grow for ever."""
    folders = max(2, count // 100)
    for i in range(folders):
        (root / ("f%d" % i)).mkdir(parents=True)
        (root / ("f%d" % i) / "h.h").write_text("#pragma once\n" + "".join(
            '#include "../f%d/h.h"\n#include "../f%d/none.h"\n' % ((i + k) % folders, (i * k) % folders)
            for k in range(1, 8)))
    (root / "CMakeLists.txt").write_text("")
    (root / "src").mkdir()
    (root / "src" / "k.cu").write_text('#include "../f0/h.h"\n' + KERNEL)
    return root / "src" / "k.cu"


def small_files(root, count):
    for i in range(count):
        folder = root / ("d%d" % (i // 500))
        if i % 500 == 0:
            folder.mkdir(parents=True)
        (folder / ("f%d.cu" % i)).write_text("int f%d(int a) { return a + %d; }\n" % (i, i))
    return root


def measure(tool, operand, *options):
    """(status, wall, user, system seconds of the run and its workers, peak MB of the parent)"""
    command = ["/usr/bin/env", "-i", "PATH=" + os.environ["PATH"], "HOME=/nonexistent", tool, "--no-cache", *options,
               str(operand)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (process.returncode, wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime,
            usage.ru_maxrss / 1024)


def calls_of_parent(tool, operand):
    """System calls of the process that searches for headers, without its workers'; None without strace."""
    strace = subprocess.run(["sh", "-c", "command -v strace"], capture_output=True).returncode == 0
    if not strace:
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["strace", "-c", "-o", out.name, tool, "--no-cache", str(operand)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        calls = re.findall(r"^\s*\S+\s+\S+\s+\S+\s+(\d+).*\btotal$", out.read(), re.M)
    return int(calls[0]) if calls else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--headers", type=int, default=10000)
    parser.add_argument("--files", type=int, default=20000)
    parser.add_argument("--more-files", type=int, default=100000)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    trees = [("one file, %d headers" % options.headers, header_tree, options.headers),
             ("one file, headers in a cycle", cyclic_tree, options.headers),
             ("%d small files" % options.files, small_files, options.files),
             ("%d small files" % options.more_files, small_files, options.more_files)]
    print("%-32s %8s %8s %8s %10s %14s" % ("tree", "wall s", "user s", "sys s", "parent MB", "parent's calls"))
    failed = False
    for name, make, count in trees:
        with tempfile.TemporaryDirectory(prefix="cuwarp-bench-") as folder:
            operand = make(pathlib.Path(folder) / "tree", count)
            status, wall, user, system, peak = measure(tool, operand)
            calls = calls_of_parent(tool, operand) if operand.is_file() else None
            failed |= status != 0
            print("%-32s %8.2f %8.2f %8.2f %10.0f %14s%s" % (name, wall, user, system, peak, calls or "",
                                                              "" if status == 0 else "  status %d" % status))
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
