#!/usr/bin/env python3
"""The harness from end to end on a machine without a GPU: programs, nvidia-smi and compute-sanitizer are stand-ins that answer
as the real ones do, so that verdicts, report, table and exit status are the harness's own work."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HARNESS = ROOT / "runtime_check" / "harness"
sys.path.insert(0, str(HARNESS))

import checks  # noqa: E402
import registry  # noqa: E402
import table  # noqa: E402

RULE = "syncwarp-loop-race"
FILES = sorted({case.file for case in registry.load()[1].values()})
PROGRAMS = {name: {"program": "unit_0", "space": "fixture_%d" % FILES.index(case.file), "call": "case_" + name.rpartition("#")[2]}
            for name, case in registry.load()[1].items()}
# What a stand-in says: {variant: {case: line}}; a case that is not named is right.
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
said = json.loads(%r)
variant, names = pathlib.Path(sys.argv[0]).parent.name, [word for word in sys.argv[1:] if "#" in word]
for name in names:
    line = said.get(variant, {}).get(name, {"outcome": "done", "wrong": 0, "units": 40, "unit": "blocks", "launches": 2, "text": ""})
    if line == "crash":
        sys.exit("the driver is gone")
    print("noise of the kernel")
    print(json.dumps({"case": name, **line}))
    if line["outcome"] != "done":
        break
"""
SANITIZER = """#!/bin/bash
tool=$2
all="$*"
while [ "${1#/}" = "$1" ]; do shift; done
case "$tool:$all" in
  racecheck:*%s/good_register#0*) n=${EXTRA:-0} ;;
  racecheck:*bad_bitonic#0*) n=4 ;;
  *) n=0 ;;
esac
"$@"
if [ $tool = racecheck ]; then echo "========= RACECHECK SUMMARY: $n hazards displayed ($n errors, 0 warnings)"
else echo "========= ERROR SUMMARY: $n errors"; fi
""" % RULE


def wrong(n, of):
    return {"outcome": "done", "wrong": n, "units": of, "unit": "blocks", "launches": 2, "text": "element 3 is 1 instead of 2"}


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run(folder, said, *arguments, program=""):
    """(exit status, report, output)"""
    for variant in ("plain", "skewed", "everywhere", "debug"):
        executable(folder / "build" / variant / "unit_0", program or PROGRAM % json.dumps(said))
        (folder / "build" / variant / "programs.json").write_text(json.dumps(PROGRAMS))
    executable(folder / "bin" / "nvidia-smi", "#!/bin/sh\necho 'NVIDIA TEST, 580.1, 9.0'\n")
    executable(folder / "bin" / "compute-sanitizer", SANITIZER)
    environment = dict(os.environ, PATH="%s:%s" % (folder / "bin", os.environ["PATH"]))
    done = subprocess.run([sys.executable, str(HARNESS / "confirm.py"), "--build", str(folder / "build"), "--filter", "^%s/" % RULE,
                           "--report", str(folder / "report.json"), "--logs", str(folder / "logs"), "--seconds", "0.1",
                           *arguments], capture_output=True, text=True, env=environment)
    report = json.loads((folder / "report.json").read_text()) if (folder / "report.json").is_file() else None
    return done.returncode, report, done.stdout + done.stderr


def verdicts_in(report):
    return {row["name"].rpartition("/")[2]: row["verdict"] for row in report["hazards"]}


def check(condition, what):
    if not condition:
        sys.exit("tests/runtime_check: " + what)


def test_verdicts(folder):
    said = {
        "plain": {RULE + "/bad_sum_one_syncwarp#0": wrong(7, 40)},
        "skewed": {RULE + "/bad_steps_by_macro#0": wrong(40, 40), RULE + "/bad_scan_in_place#0": {**wrong(0, 0), "outcome": "hang"}},
    }
    status, report, output = run(folder, said)
    check(status == 0, "exit status %d where all is as it must be\n%s" % (status, output))
    check(verdicts_in(report) == {
        "bad_sum_one_syncwarp#0": "wrong results", "bad_steps_by_macro#0": "wrong when skewed",
        "bad_scan_in_place#0": "hang when skewed", "bad_bitonic#0": "sanitizer only"}, "verdicts: %s" % verdicts_in(report))
    summary = report["summary"]
    check((summary["hazards"], summary["confirmed"]) == (4, 3), "summary: %s" % summary)
    check(summary["confirmed_but_silent"] == {"racecheck": 3, "synccheck": 3}, "what sanitizers miss: %s" % summary)
    check(report["machine"]["gpu"] == "NVIDIA TEST" and report["machine"]["compute_capability"] == "9.0", "the machine")
    check("3 of 4 hazards shown" in output, "the table's last line:\n" + output)
    text = table.table_of(report)
    check('"wrong when skewed", "0 of 40 blocks wrong plain, 40 of 40 blocks wrong skewed' in text, "the table for explain:\n" + text)
    check("racecheck silent, synccheck silent" in text, "the table for explain:\n" + text)
    check(len(list((folder / "logs" / "racecheck").iterdir())) > 4, "logs are kept")


def test_claims(folder):
    """Lane 0 comes alone to the shuffle, which the linter says all do; racecheck names lines that the linter does not."""
    file, text = RULE + "/bad_bitonic", (ROOT / "fixtures" / RULE / "bad_bitonic.cu").read_bytes()
    at = text.index(b"__syncwarp();")
    call = {"kernel": "sort", "block": [32, 1, 1], "op": "syncwarp", "line": 7, "column": 5, "offset": at, "iteration": None,
            "chosen": False, "if_any": False}
    claims = {file: {"places": [{"id": 3, "offset": at}], "races": [{"kernel": "sort", "definite": True, "pairs": [[12, 12]]}],
                     "calls": [{**call, "warps": {"0": {"arrives": 0xffffffff}}}]}}
    (folder / "claims.json").write_text(json.dumps(claims))
    record = "print(json.dumps({'record': %r, 'places': {'3': {'0': [1, 1]}}}))\n" % (file + "#0")
    executable(folder / "build" / "record" / "unit_0", (PROGRAM % "{}").replace("said =", record + "said =", 1))
    (folder / "build" / "record" / "programs.json").write_text(json.dumps(PROGRAMS))
    _, report, output = run(folder, {}, "--claims", str(folder / "claims.json"))
    lanes = report["differential"]["participation"]
    check([row["warps"] for row in lanes["differ"]] == [{"0": "lanes 0xfffffffe do not come"}], "claims: %s\n%s" % (lanes, output))


def test_unsound_kernel(folder):
    status, report, output = run(folder, {"debug": {RULE + "/good_register#0": wrong(1, 40)}})
    check(status == 1 and "NOT SOUND " + RULE + "/good_register#0" in output, "a corrected kernel that fails: %d\n%s" % (status, output))
    check(report["summary"]["corrected_sound"] == report["summary"]["corrected"] - 1, "one of them is not sound")


def test_tool_reports_on_corrected_kernel(folder):
    os.environ["EXTRA"] = "2"
    status, report, output = run(folder, {}, "--checks", "plain,racecheck")
    del os.environ["EXTRA"]
    unsound = [row["name"] for row in report["corrected"] if not row["sound"]]
    check(status == 1 and unsound == [RULE + "/good_register#0"], "of several kernels one is reported: %s\n%s" % (unsound, output))


def test_resumed(folder):
    """What the earlier report knows is not run again, what it lacks is: the programs say something else the second time, also
    under the tools, which run the plain one."""
    run(folder, {"plain": {RULE + "/bad_sum_one_syncwarp#0": wrong(7, 40)}}, "--checks", "plain")
    (folder / "report.json").rename(folder / "earlier.json")
    other = {"plain": {RULE + "/bad_scan_in_place#0": wrong(9, 40)}, "skewed": {RULE + "/bad_steps_by_macro#0": wrong(3, 40)}}
    _, report, output = run(folder, other, "--resume", str(folder / "earlier.json"))
    found = verdicts_in(report)
    check((found["bad_sum_one_syncwarp#0"], found["bad_scan_in_place#0"], found["bad_steps_by_macro#0"]) ==
          ("wrong results", "wrong under racecheck", "wrong when skewed"), "resumed: %s\n%s" % (found, output))
    check(report["summary"]["kernels_checked"]["racecheck"] > 0, "checks that were not asked for the first time")


def test_lost_process(folder):
    status, report, _ = run(folder, {"plain": {RULE + "/bad_sum_one_syncwarp#0": "crash"}}, "--checks", "plain")
    check(status == 1 and verdicts_in(report)["bad_sum_one_syncwarp#0"] == "not run", "a program that crashes gives no verdict")


def test_hang_is_not_waited_for(folder):
    """A program that says that a kernel hangs, and hangs itself on its way out, is left; the cases behind it run all the same."""
    sleeps = PROGRAM.replace('if line["outcome"] != "done":\n', 'if line["outcome"] != "done":\n        sys.stdout.flush()\n        time.sleep(300)\n')
    program = sleeps.replace("import json,", "import json, time,") % json.dumps(
        {"plain": {RULE + "/bad_bitonic#0": {**wrong(0, 0), "outcome": "hang"}}})
    began = time.monotonic()
    _, report, output = run(folder, {}, "--checks", "plain", program=program)
    found = verdicts_in(report)
    check(found["bad_bitonic#0"] == "hang" and "not run" not in found.values(), "behind a hang: %s\n%s" % (found, output))
    check(time.monotonic() - began < 100, "a program that does not end is not waited for")


def test_nothing_to_run(folder):
    environment = dict(os.environ, PATH=str(folder))
    (folder / "build" / "plain").mkdir(parents=True)
    done = subprocess.run([sys.executable, str(HARNESS / "confirm.py"), "--build", str(folder / "build")], capture_output=True,
                          text=True, env=environment)
    check(done.returncode == 2 and "no GPU" in done.stderr, "without a GPU: %d, %s" % (done.returncode, done.stderr))


def main():
    tests = [test_verdicts, test_claims, test_unsound_kernel, test_tool_reports_on_corrected_kernel, test_resumed, test_lost_process,
             test_hang_is_not_waited_for, test_nothing_to_run]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("%d tests" % len(tests))


if __name__ == "__main__":
    main()
