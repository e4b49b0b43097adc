"""The ways in which a case is run, each in a process of its own with a time limit, and what each of them says."""

import dataclasses
import json
import os
import re
import signal
import subprocess

# check: (variant of the programs, sanitizer options or None)
CHECKS = {
    "plain": ("plain", None),
    "skewed": ("skewed", None),  # at the findings
    "everywhere": ("everywhere", None),  # skewed at every collective and shared access
    "debug": ("debug", None),
    "racecheck": ("plain", ["--tool", "racecheck"]),
    "synccheck": ("plain", ["--tool", "synccheck"]),
    "trace": ("plain", ["--tool", "racecheck", "--racecheck-trace-sync", "yes"]),
}
SHOWS = {"plain", "skewed", "everywhere", "debug"}  # those that compare results
SKEWED = ("skewed", "everywhere")
SKEW_SEEDS = (1, 2, 3)
SUMMARY = re.compile(r"(?:RACECHECK SUMMARY: (\d+) hazards? displayed|ERROR SUMMARY: (\d+) errors?)")
UNUSABLE = re.compile(r"(Device not supported|unrecogni[sz]ed option|unknown option|Invalid value|No attachable process)", re.I)
LIMIT_EXIT = 86


@dataclasses.dataclass
class Result:
    """outcome: done, hang, fault (what the program saw), failed (the harness or machine), missing (no such program)"""
    outcome: str
    wrong: int = 0
    units: int = 0
    unit: str = ""
    launches: int = 0
    reports: int = -1  # of a sanitizer; -1: none was used
    text: str = ""

    def to_json(self):
        kept = {"outcome": self.outcome}
        if self.units:
            kept.update(wrong=self.wrong, units=self.units, unit=self.unit)
        if self.reports >= 0:
            kept["reports"] = self.reports
        if self.text:
            kept["text"] = self.text
        return kept

    @property
    def bad(self):
        return self.wrong > 0 or self.outcome in ("hang", "fault")


@dataclasses.dataclass
class Settings:
    build: object
    sanitizer: str
    trials: int
    seed: int
    seconds: float
    logs: object  # a folder or None


def run_process(command, limit, environment=None):
    """(exit status or None when it ran out of time, output). A process that hangs in the driver is left behind."""
    merged = dict(os.environ, **(environment or {}))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True, env=merged) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            try:
                output, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                output = ""
            return None, output


def read_line(output):
    for line in reversed(output.split("\n")):
        if line.startswith('{"outcome"'):
            try:
                return json.loads(line)
            except json.JSONDecodeError:
                return None
    return None


def result_of(status, output):
    said = read_line(output)
    if said:
        return Result(said["outcome"], said["wrong"], said["units"], said["unit"], said["launches"], text=said["text"])
    if status is None:
        return Result("hang", text="killed by the harness")
    return Result("failed", text="exit status %d: %s" % (status, output.strip()[-300:]))


def trials_of(case, settings, check):
    """Cases of one block are repeated more often, so that as many blocks are seen; sanitizers are slow."""
    if CHECKS[check][1]:
        return 2
    if check == "debug":
        return max(settings.trials // 4, 1)
    large = any(run.grid != [1] for run in case.runs)
    return settings.trials if large or case.role != "hazard" else 10 * settings.trials


def command_of(case, check, settings):
    variant, sanitizer = CHECKS[check]
    command = [str(settings.build / variant / case.path.parent.name), case.name, "--trials", str(trials_of(case, settings, check)),
               "--seed", str(settings.seed)]
    if not sanitizer:
        return command + ["--seconds", str(settings.seconds)]
    return [settings.sanitizer, *sanitizer, "--print-limit", "20", "--error-exitcode", str(LIMIT_EXIT),
            *command, "--seconds", str(3 * settings.seconds), "--grid", "8"]


def with_reports(result, output):
    """What a sanitizer says beside the program's own line. No summary is no silence."""
    found = SUMMARY.findall(output)
    if UNUSABLE.search(output) and not found:
        return Result("missing", text=UNUSABLE.search(output)[0])
    if found:
        result.reports = sum(int(a or b) for a, b in found[-1:])
    elif result.outcome in ("done", "failed"):
        return Result("failed", text="no summary: " + output.strip()[-300:])
    else:
        result.reports = len(re.findall(r"^=+ (?:Error|Warning|Barrier error)", output, re.M))
    return result


def merged(results):
    """Several runs of one case: the worst outcome, all counts."""
    order = ["done", "missing", "failed", "hang", "fault"]
    worst = max(results, key=lambda r: order.index(r.outcome))
    wrong = next((r.text for r in results if r.wrong), worst.text)
    return Result(worst.outcome, sum(r.wrong for r in results), sum(r.units for r in results),
                  next((r.unit for r in results if r.units), ""), sum(r.launches for r in results), text=wrong or worst.text)


def run_check(case, check, settings):
    variant, sanitizer = CHECKS[check]
    if not (settings.build / variant / case.path.parent.name).is_file():
        return Result("missing", text="no %s program was built" % variant)
    if sanitizer and not settings.sanitizer:
        return Result("missing", text="there is no compute-sanitizer")
    command, limit = command_of(case, check, settings), 8 * settings.seconds + 30
    if check in SKEWED:
        runs = [run_process(command, limit, {"CUWARP_SKEW_SEED": str(seed + settings.seed - 1)}) for seed in SKEW_SEEDS]
        result, output = merged([result_of(*run) for run in runs]), "\n".join(run[1] for run in runs)
    else:
        status, output = run_process(command, limit)
        result = result_of(status, output)
    if sanitizer:
        result = with_reports(result, output)
    if settings.logs:
        path = settings.logs / check / (case.name.replace("/", "__").replace("#", "_") + ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(command) + "\n" + output[-200000:], encoding="utf-8")
    return result
