"""The ways in which cases are run, in processes with a time limit, and what each of them says."""

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
    "record": ("record", None),  # no check: who comes where, for differential.py
    "trace": ("plain", ["--tool", "racecheck", "--racecheck-trace-sync", "yes"]),
}
SHOWS = {"plain", "skewed", "everywhere", "debug"}  # those that compare results
ASKED = [check for check in CHECKS if check != "record"]
SKEWED = ("skewed", "everywhere")
HAZARDS_ONLY = ("skewed", "trace")  # corrected kernels have no findings to be skewed at
SKEW_SEEDS = 3
SUMMARY = re.compile(r"(?:RACECHECK SUMMARY: (\d+) hazards? displayed|ERROR SUMMARY: (\d+) errors?)")
UNUSABLE = re.compile(r"(Device not supported|unrecogni[sz]ed option|unknown option|Invalid value|No attachable process)", re.I)
STATUS_OF_REPORTS = 86
ENDS = ("hang", "fault", "failed")  # behind one of these a program has no more lines


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
    output: str = ""  # of a sanitizer

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


def run_process(command, limit):
    """(exit status or None when it ran out of time, output). A process that hangs in the driver is left behind."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as process:
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


def read_lines(output):
    """{case: Result} of a program's lines"""
    found = {}
    for line in output.split("\n"):
        if not line.startswith('{"case"'):
            continue
        try:
            said = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[said["case"]] = Result(said["outcome"], said["wrong"], said["units"], said["unit"], said["launches"], text=said["text"])
    return found


def results_of(names, status, output):
    """What is known behind one process: results of some of the cases, at least of the first that has no line."""
    found = {name: result for name, result in read_lines(output).items() if name in names}
    silent = [name for name in names if name not in found]
    if silent and not any(result.outcome in ENDS for result in found.values()):
        found[silent[0]] = (Result("hang", text="killed by the harness") if status is None else
                            Result("failed", text="exit status %d: %s" % (status, output.strip()[-300:])))
    return found


def program_of(case, check, settings):
    return settings.build / CHECKS[check][0] / case.path.parent.name


def is_large(case):
    return any(run.grid != [1] for run in case.runs)


def command_of(cases, check, settings):
    """For cases of one program and of one kind: cases of a single block are repeated more often."""
    sanitizer = CHECKS[check][1]
    trials = settings.trials if is_large(cases[0]) or cases[0].role != "hazard" else 10 * settings.trials
    if check == "record":
        trials = 1
    elif check == "debug":
        trials = max(trials // 4, 1)
    command = [str(program_of(cases[0], check, settings)), "--trials", str(2 if sanitizer else trials), "--seed", str(settings.seed),
               "--skew-seeds", str(SKEW_SEEDS), "--seconds", str((3 if sanitizer else 1) * settings.seconds)]
    names = [case.name for case in cases]
    if not sanitizer:
        return command + names
    return [settings.sanitizer, *sanitizer, "--print-limit", "20", "--error-exitcode", str(STATUS_OF_REPORTS), *command,
            "--grid", "8", *names]


def limit_of(cases, settings):
    """For a process; a case takes three times its seconds at most, and with three patterns of delays as often."""
    return 30 + 9 * settings.seconds * len(cases)


def keep_log(settings, check, case, command, output):
    if not settings.logs:
        return
    path = settings.logs / check / (case.name.replace("/", "__").replace("#", "_") + ".txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as log:
        log.write(" ".join(command) + "\n" + output[-100000:] + "\n")


def run_shows(cases, check, settings):
    """{name: Result} of cases of one program: together, and again behind each that ends the program."""
    found, left = {}, list(cases)
    while left:
        command = command_of(left, check, settings)
        status, output = run_process(command, limit_of(left, settings))
        keep_log(settings, check, left[0], command, output)
        found.update(results_of([case.name for case in left], status, output))
        left = [case for case in left if case.name not in found]
    return found


def with_reports(result, output):
    """What a sanitizer says beside the program's own line. No summary is no silence."""
    found = SUMMARY.findall(output)
    if UNUSABLE.search(output) and not found:
        return Result("missing", text=UNUSABLE.search(output)[0])
    result.output = output
    if found:
        result.reports = sum(int(a or b) for a, b in found[-1:])
    elif result.outcome in ("done", "failed"):
        return Result("failed", text="no summary: " + output.strip()[-300:])
    else:
        result.reports = len(re.findall(r"^=+ (?:Error|Warning|Barrier error)", output, re.M))
    return result


def run_sanitizer(cases, check, settings):
    """{name: Result}. Several cases at once can only be silent: where they are not, each is asked alone."""
    command = command_of(cases, check, settings)
    status, output = run_process(command, limit_of(cases, settings))
    keep_log(settings, check, cases[0], command, output)
    found = results_of([case.name for case in cases], status, output)
    if len(cases) == 1:
        return {cases[0].name: with_reports(found[cases[0].name], output)}
    whole = with_reports(Result("done"), output)
    if whole.outcome == "missing" or (whole.reports == 0 and len(found) == len(cases)
                                      and all(result.outcome == "done" for result in found.values())):
        return {case.name: whole if whole.outcome == "missing" else dataclasses.replace(found[case.name], reports=0) for case in cases}
    return {name: result for case in cases for name, result in run_sanitizer([case], check, settings).items()}


def run_record(cases, settings):
    """Output of the recording programs, one trial of each case."""
    left, outputs = list(cases), []
    while left:
        command = command_of(left, "record", settings)
        status, output = run_process(command, limit_of(left, settings))
        keep_log(settings, "record", left[0], command, output)
        outputs.append(output)
        found = results_of([case.name for case in left], status, output)
        left = [case for case in left if case.name not in found]
    return "\n".join(outputs)


def run_batch(cases, check, settings):
    """{name: Result}; `cases` as batches() made them."""
    if not program_of(cases[0], check, settings).is_file():
        return {case.name: Result("missing", text="no %s program was built" % CHECKS[check][0]) for case in cases}
    if not CHECKS[check][1]:
        return run_shows(cases, check, settings)
    if not settings.sanitizer:
        return {case.name: Result("missing", text="there is no compute-sanitizer") for case in cases}
    return run_sanitizer(cases, check, settings)


def batches(cases, check):
    """Cases that one process can run: of one program, with one number of trials. What a sanitizer says of a hazard must be
    told from what it says of others, so hazards come to it alone."""
    groups = {}
    for case in cases:
        if check in HAZARDS_ONLY and case.role != "hazard":
            continue
        alone = case.name if CHECKS[check][1] and case.role == "hazard" else ""
        groups.setdefault((case.path.parent.name, case.role == "hazard" and not is_large(case), case.role == "hazard", alone), []).append(case)
    return list(groups.values())
