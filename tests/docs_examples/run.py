#!/usr/bin/env python3
"""Runs the examples in the rules' documentation.

    run.py --bin PATH

Each `cuda bad` block must give exactly one finding of its rule and no other definite error, each `cuda good` block no
finding at all. Rules that are off by default are switched on.
"""

import argparse
import collections
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fixtures  # noqa: E402


def run(binary, arguments, folder=None):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    return subprocess.run([binary, *arguments], env=env, capture_output=True, timeout=300, cwd=folder)


def git(folder, *arguments):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, env=env, check=True,
                   capture_output=True)


def lint_change(binary, arguments, code):
    """Lines with "-" are from before, those with "+" from now, the others have a blank in front."""
    lines = code.rstrip("\n").split("\n")
    before = "".join(line[1:] + "\n" for line in lines if line[:1] != "+")
    now = "".join(line[1:] + "\n" for line in lines if line[:1] != "-")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "example.cu"
        git(folder, "init", "-q")
        file.write_text(before)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "before")
        file.write_text(now)
        done = run(binary, ["--no-cache", *arguments, "example.cu"], folder=folder)
    return json.loads(done.stdout) if done.stdout else None, done.stderr.decode("utf-8", "replace").strip()


def lint_together(binary, arguments, compiler, codes):
    """One run over examples that ask for the same arguments: the report of each."""
    with tempfile.TemporaryDirectory() as folder:
        names = ["example_%d.cu" % i for i in range(len(codes))]
        for name, code in zip(names, codes):
            (pathlib.Path(folder) / name).write_text(code, encoding="utf-8")
        done = run(binary, ["--no-cache", *arguments, *names, *compiler], folder)
    report = json.loads(done.stdout) if done.stdout else None
    error = done.stderr.decode("utf-8", "replace").strip()
    return [(report and fixtures.of_file(report, name), error) for name in names]


def groups_of(rules):
    """Examples that one run can lint, by their arguments; one with a past version is alone."""
    groups = collections.defaultdict(list)
    for rule in rules:
        for number, example in enumerate(rule["examples"], start=1):
            own, dashes, compiler = example["arguments"].partition("-- ")  # what stands behind -- is the compiler's
            arguments = [*shlex.split(own), *([] if rule["default"] else ["--extend-select", rule["rule"]]), "--output", "json"]
            alone = (rule["rule"], number) if "--since" in arguments else None
            groups[tuple(arguments), tuple(shlex.split(dashes + compiler)), alone].append((rule, number, example))
    return groups


def lint(binary, rules):
    """All examples as (rule, number, example, report or None, what was said instead)."""
    for (arguments, compiler, alone), members in groups_of(rules).items():
        codes = [example["code"] for _, _, example in members]
        reports = [lint_change(binary, arguments, codes[0])] if alone else lint_together(binary, arguments, compiler, codes)
        for (rule, number, example), (report, error) in zip(members, reports, strict=True):
            yield rule, number, example, report, error


def shown(findings):
    return "; ".join(f"line {f['line']}: {f['severity']} ({f['confidence']}) {f['rule']}: {f['message']}"
                     for f in findings) or "nothing"


def problem_of(rule, example, report):
    findings, coverage = report["findings"], report["coverage"]
    unread = [r for kernel in coverage["partial"] for r in kernel["reasons"] if r["analysis"] == "reading"]
    if coverage["failed"] or coverage["skipped"] or unread:
        return f"is not understood: {coverage}"
    if example["kind"] == "good":
        return f"is not silent: {shown(findings)}" if findings else None
    own = [f for f in findings if f["rule"] == rule["rule"]]
    other = [f for f in findings if f["rule"] != rule["rule"] and (f["severity"], f["confidence"]) == ("error", "definite")]
    if len(own) != 1 or other:
        return f"should give one finding of its rule, but gives {shown(findings)}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the cuwarp-lint to test")
    binary = str(pathlib.Path(parser.parse_args().bin).resolve())
    rules = json.loads(run(binary, ["explain", "all", "--output", "json"]).stdout)
    count = failed = 0
    for rule, number, example, report, error in lint(binary, rules):
        problem = f"gives no report: {error}" if report is None else problem_of(rule, example, report)
        count += 1
        if problem:
            failed += 1
            print(f"{rule['rule']}: example {number} ({example['kind']}) {problem}")
    print(f"{count} examples of {len(rules)} rules, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
