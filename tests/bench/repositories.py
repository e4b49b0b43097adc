#!/usr/bin/env python3
"""What whole repositories cost, as a Markdown table: wall and CPU time, peak memory, slow files, coverage, first output.

    repositories.py --bin PATH [--timeout SECONDS] [--keep DIR] FOLDER...      --keep: where to write each JSON report

Each folder is linted twice without a cache: into JSON, for the numbers, and on a terminal, for the time until the first
byte of output. CPU time is that of the tool and all its workers, memory that of the
largest of these processes; slow files are counted by processor time, among the ten slowest, of which the last
column shows the slowest.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

SLOW = 2.0  # seconds of one file
HEAD = ("repository", "wall s", "CPU s", "peak MB", "files over 2 s", "kernels", "complete", "in part", "first output s",
        "slowest file s")


def measure(command, timeout):
    """(stdout, stderr, wall, CPU seconds, peak MB) of a run and its workers; None when it ran past the limit."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=log, start_new_session=True)
        while True:
            pid, _, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > timeout:
                os.killpg(child.pid, signal.SIGKILL)
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.02)
        wall = time.monotonic() - begin
        out.seek(0)
        log.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return out.read(), log.read().decode("utf-8", "replace"), wall, cpu, usage.ru_maxrss / 1024


def first_output(command, timeout):
    """Seconds until the run writes its first byte to a terminal."""
    begin = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    ready, _, _ = select.select([terminal], [], [], timeout)
    seconds = time.monotonic() - begin if ready else None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(terminal)
    return seconds


def slow_files(log):
    """(how many files of the profile, the ten slowest, took longer than the limit; seconds of the slowest)"""
    times = [float(t) / 1000 for t in re.findall(r"^cuwarp-lint:\s+([0-9.]+) ms\s+[0-9.]+ MB\s", log, re.M)]
    return sum(t > SLOW for t in times), max(times, default=0)


def row_of(tool, folder, timeout, keep):
    command = [tool, "--isolated", "--no-cache", folder]
    done = measure([*command, "--output", "json", "--profile", "--exit-zero"], timeout)
    name = pathlib.Path(folder).name
    if done is None:
        return (name, f"over {timeout}") + ("",) * (len(HEAD) - 2)
    out, log, wall, cpu, peak = done
    coverage = json.loads(out)["coverage"]
    if keep:
        pathlib.Path(keep, name + ".json").write_bytes(out)
        pathlib.Path(keep, name + ".log").write_text(log)
    slow, slowest = slow_files(log)
    first = first_output(command, timeout)
    return (name, f"{wall:.1f}", f"{cpu:.1f}", f"{peak:.0f}", slow, coverage["kernels"], coverage["analysed"],
            coverage["degraded"], "none" if first is None else f"{first:.2f}", f"{slowest:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--keep")
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.bin).resolve())
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for folder in options.folders:
        print("| " + " | ".join(str(cell) for cell in row_of(tool, folder, options.timeout, options.keep)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
