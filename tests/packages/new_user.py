#!/usr/bin/env python3
"""A new user's first hour with a repository, timed: install the wheel, first run, baseline, a commit with a hazard that the hook
blocks, fixes, green. Prints the transcript as Markdown; changes nothing outside of a temporary copy.

    new_user.py --wheel FILE NAME=DIR…        DIR: a checkout (or any folder with CUDA sources)

Not a test: its times go into docs/measurements/first-hour.md.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HAZARD = """
__global__ void cuwarp_trial(float *out) {
    __shared__ float part[64];
    if (threadIdx.x < 32) {
        part[threadIdx.x] = out[threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = part[threadIdx.x % 32];
}
void cuwarp_trial_run(float *out) { cuwarp_trial<<<1, 64>>>(out); }
"""
HOOK = """repos:
  - repo: local
    hooks:
      - id: cuwarp-lint
        name: cuwarp-lint
        language: system
        entry: cuwarp-lint --force-exclude
        types_or: [cuda]
        require_serial: true
"""


class Trial:
    def __init__(self, folder, env):
        self.folder, self.env, self.rows = folder, env, []

    def run(self, what, *command, status=0, say=r"(no findings|\d+ (error|warning|info|finding)).*analysed|^cuwarp-lint: .*"):
        started = time.monotonic()
        done = subprocess.run([str(c) for c in command], cwd=self.folder, env=self.env, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - started
        said = [line for line in done.stdout.splitlines() if re.search(say, line)][-2:]
        self.rows.append((what, seconds, done.returncode, "; ".join(said)))
        if status is not None and done.returncode not in (status if isinstance(status, tuple) else (status,)):
            print(done.stdout[-3000:], file=sys.stderr)
            raise SystemExit("%s: %s ended with %d" % (what, command, done.returncode))
        return done.stdout


def copy(source, target):
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git", ".commit"))


def trial(name, source, wheel, home):
    folder = home / "project"
    copy(source, folder)
    venv = home / "venv"
    env = dict(os.environ, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"), NO_COLOR="1", GIT_CONFIG_GLOBAL="/dev/null",
               GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b",
               PATH="%s:%s" % (venv / "bin", os.environ["PATH"]))
    t = Trial(folder, env)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    t.run("pip install", "pip", "install", "-q", "--disable-pip-version-check", wheel, say="^$")
    subprocess.run([venv / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "pre-commit"], check=True)
    for command in (["git", "init", "-q", "-b", "main"], ["git", "add", "-A", "-f"], ["git", "commit", "-q", "-m", "as it was"]):
        subprocess.run(command, cwd=folder, env=env, check=True)
    t.run("first run", "cuwarp-lint", ".", status=(0, 1, 3))
    t.run("again", "cuwarp-lint", ".", status=(0, 1, 3))
    t.run("write the baseline", "cuwarp-lint", "--baseline", ".cuwarp-baseline.jsonl", "--write-baseline", ".", status=(0, 3))
    (folder / ".cuwarp-lint.yaml").write_text("baseline: .cuwarp-baseline.jsonl\n")
    (folder / ".pre-commit-config.yaml").write_text(HOOK)
    t.run("install the hook", "pre-commit", "install", say="^$")
    subprocess.run(["git", "add", "-A"], cwd=folder, env=env, check=True)
    t.run("commit both", "git", "commit", "-q", "-m", "Lint", say="^$")
    victim = max((p for p in folder.rglob("*.cu") if p.is_file()), key=lambda p: (p.stat().st_size < 20000, p.stat().st_size))
    with victim.open("a") as f:
        f.write(HAZARD)
    subprocess.run(["git", "add", "-A"], cwd=folder, env=env, check=True)
    t.run("a commit with a hazard", "git", "commit", "-q", "-m", "hazard", status=1, say=r"\[divergent-barrier\]$")
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, env=env, check=True)
    (folder / ".cuwarp-lint.yaml").unlink()
    t.run("--fix", "cuwarp-lint", "--fix", ".", status=(0, 1, 3))
    subprocess.run(["git", "checkout", "-q", ".cuwarp-lint.yaml"], cwd=folder, env=env, check=True)
    t.run("prune the baseline", "cuwarp-lint", "--prune-baseline", ".", status=(0, 3))
    t.run("green", "cuwarp-lint", ".", status=(0, 3))
    print("\n## %s\n\n| step | seconds | status | last words |\n| --- | --- | --- | --- |" % name)
    for what, seconds, status, said in t.rows:
        print("| %s | %.2f | %d | %s |" % (what, seconds, status, said.replace("|", "\\|").replace(str(folder) + "/", "")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheel", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("trials", nargs="+", metavar="NAME=DIR")
    options = parser.parse_args()
    for item in options.trials:
        name, _, folder = item.partition("=")
        with tempfile.TemporaryDirectory(prefix="cuwarp-new-user-") as home:
            trial(name, pathlib.Path(folder).resolve(), options.wheel, pathlib.Path(home))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
