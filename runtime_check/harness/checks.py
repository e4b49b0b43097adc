"""The ways in which cases are run, in processes with a time limit, and what each of them says."""

import contextlib
import dataclasses
import json
import os
import re
import selectors
import signal
import subprocess
import time

# check: (variant of the programs, sanitizer options or None)
CHECKS = {
    "plain": ("plain", None),
    "skewed": ("skewed", None),  # at the findings
    "everywhere": ("everywhere", None),  # skewed at every collective and shared access
    "debug": ("debug", None),
    "racecheck": ("plain", ["--tool", "racecheck"]),
    "synccheck": ("plain", ["--tool", "synccheck"]),
    "record": ("record", None),  # no check: who comes where, for differential.py
}
SHOWS = {"plain", "skewed", "everywhere", "debug"}  # those that compare results
ASKED = [check for check in CHECKS if check != "record"]
SKEWED = ("skewed", "everywhere")
TOOLS = ("racecheck", "synccheck")
HAZARDS_ONLY = ("skewed",)  # corrected kernels have no findings to be skewed at
TRACED = ["--racecheck-trace-sync", "yes"]  # of hazards: who came to each barrier, for differential.py
SUMMARY = re.compile(r"(?:RACECHECK SUMMARY: (\d+) hazards? displayed|ERROR SUMMARY: (\d+) errors?)")
# Which case a report is about: the driver's function that launched the kernel, or the namespace that the kernel stands in.
BY_CALL = re.compile(r"(fixture_\d+)::(case_\d+)\(\)")
BY_SPACE = re.compile(r"(fixture_\d+)::")
TRACE = re.compile(r"^=+ +(?:Barrier called|Syncwarp called|Sync mask)")
REPORT = re.compile(r"^=+ (?:Error|Warning|Barrier error|Program hit)")
UNUSABLE = re.compile(r"(Device not supported|unrecogni[sz]ed option|unknown option|Invalid value|No attachable process)", re.I)
STATUS_OF_REPORTS = 86
ENDS = ("hang", "fault", "failed")  # behind one of these a program has no more lines
PRINT_LIMIT = 1000
# Cases of one process: starting one on a GPU takes longer than most cases, and many processes share the machine better than one.
TOGETHER = {"sanitizer": 12, "hazard": 12, "corrected": 40}
SANITIZER_SECONDS = 6  # for a kernel, which is many times slower


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
    programs: dict = dataclasses.field(default_factory=dict)  # {variant: {case: what generate.py --map says}}
    traces: bool = True  # compute-sanitizer knows TRACED
    times: list = dataclasses.field(default_factory=list)  # (check, seconds) of every process


def kill(process):
    """Ends the process and what it started. One that hangs in the driver is left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)


def run_process(command, limit, behind_end=0.0):
    """(exit status or None when it was killed, output). It is killed when nothing came out of it for `limit` seconds, and
    `behind_end` seconds after it said that the device is of no more use to it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    output, until, ended = b"", time.monotonic() + limit, False
    with selectors.DefaultSelector() as selector, process.stdout:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < until:
            if not selector.select(until - time.monotonic()):
                continue
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                return process.wait(), output.decode(errors="replace")
            output += piece
            if not ended:
                ended = any(result.outcome in ENDS for result in read_lines(output[-4096:].decode(errors="replace")).values())
                until = time.monotonic() + (behind_end if ended else limit)
        kill(process)
    return None, output.decode(errors="replace")


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


def load_programs(build):
    """{variant: {case: what generate.py --map says}} of what was built."""
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in build.glob("*/programs.json")}


def known(case, check, settings):
    return settings.programs.get(CHECKS[check][0], {}).get(case.name)


def program_of(case, check, settings):
    """Its path, or None: a variant may lack the case, and a unit that did not compile leaves no program."""
    entry = known(case, check, settings)
    path = settings.build / CHECKS[check][0] / entry["program"] if entry else None
    return path if path and path.is_file() else None


def kernel_seconds(check, settings):
    """What a kernel may take."""
    return max(SANITIZER_SECONDS, 6 * settings.seconds) if CHECKS[check][1] else settings.seconds


def command_of(cases, check, settings):
    """For cases of one program and one role. Hazards of a single block are repeated more often: they have no others to show in."""
    sanitizer = CHECKS[check][1]
    trials = settings.trials
    if sanitizer:
        trials = 2
    elif check == "record":
        trials = 1
    elif check == "debug":
        trials = max(trials // 4, 1)
    single = trials * (10 if cases[0].role == "hazard" and not sanitizer and check != "record" else 1)
    command = [str(program_of(cases[0], check, settings)), "--trials", str(trials), "--single", str(single), "--seed", str(settings.seed),
               "--seconds", str(kernel_seconds(check, settings))]
    names = [case.name for case in cases]
    if not sanitizer:
        return command + names
    traced = TRACED if check == "racecheck" and cases[0].role == "hazard" and settings.traces else []
    return [settings.sanitizer, *sanitizer, *traced, "--print-limit", str(PRINT_LIMIT), "--error-exitcode",
            str(STATUS_OF_REPORTS), *command, "--grid", "8", "--spoil", "0", *names]


def limit_of(check, settings):
    """Seconds of silence: starting, and one case (driver.cuh)."""
    seconds = kernel_seconds(check, settings)
    return 60 + 3 * seconds if CHECKS[check][1] else 36 + seconds


def run_command(cases, check, settings):
    """(exit status or None, output)"""
    command, began = command_of(cases, check, settings), time.monotonic()
    status, output = run_process(command, limit_of(check, settings), 10 if CHECKS[check][1] else 0)
    settings.times.append((check, time.monotonic() - began))
    keep_log(settings, check, cases[0], command, output)
    return status, output


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
        status, output = run_command(left, check, settings)
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


def shares_of(output, cases, entries):
    """{case: (number of reports, its part of the output)} of what a sanitizer said about several cases, or None where it cannot
    be told whose something is. `entries`: what generate.py --map says of each case."""
    by_call = {(entries[case.name]["space"], entries[case.name]["call"]): case.name for case in cases}
    by_space = {entries[case.name]["space"]: case.name for case in cases}
    counts, parts = {case.name: 0 for case in cases}, {case.name: [] for case in cases}
    lines = output.split("\n")
    for line in filter(TRACE.match, lines):
        if (found := BY_SPACE.search(line)) and found[1] in by_space:
            parts[by_space[found[1]]].append(line)
    for block in re.split(r"^=+ *$", "\n".join(line for line in lines if not TRACE.match(line)), flags=re.M):
        whose = {by_call[found] for found in BY_CALL.findall(block) if found in by_call}
        whose = whose or {by_space[found] for found in BY_SPACE.findall(block) if found in by_space}
        reports = sum(bool(REPORT.match(line)) for line in block.split("\n"))
        if reports and len(whose) != 1:
            return None
        for name in whose:
            counts[name] += reports
            parts[name] += [*block.strip("\n").split("\n"), "========= "]
    return {name: (counts[name], "\n".join(parts[name]) + "\n") for name in counts}


def accepted(cases, found, output, entries):
    """{name: Result} of the cases of a process whose results are certain: they were right to the end, and what the tool said can
    be told apart. None of them where its count of reports is another."""
    shares, summary = shares_of(output, cases, entries), SUMMARY.findall(output)
    total = sum(int(a or b) for a, b in summary[-1:])
    if shares is None or not summary or total >= PRINT_LIMIT or total != sum(n for n, _ in shares.values()):
        return {}
    return {name: dataclasses.replace(result, reports=shares[name][0], output=shares[name][1])
            for name, result in found.items() if result.outcome == "done"}


def run_sanitizer(cases, check, settings):
    """{name: Result}. Cases run together as far as it can be told whom the tool speaks of; else alone."""
    status, output = run_command(cases, check, settings)
    if settings.traces and UNUSABLE.search(output) and not SUMMARY.search(output):
        settings.traces = False
        status, output = run_command(cases, check, settings)
    found = results_of([case.name for case in cases], status, output)
    if len(cases) == 1:
        return {cases[0].name: with_reports(found[cases[0].name], output)}
    if UNUSABLE.search(output) and not SUMMARY.search(output):
        return {case.name: with_reports(Result("done"), output) for case in cases}
    results = accepted(cases, found, output, {case.name: known(case, check, settings) for case in cases})
    left = [case for case in cases if case.name not in results]
    for some in ([left[:1], left[1:]] if results else [[case] for case in left]):
        results.update(run_sanitizer(some, check, settings) if some else {})
    return results


def run_record(cases, settings):
    """Output of the recording programs, one trial of each case."""
    left, outputs = list(cases), []
    while left:
        status, output = run_command(left, "record", settings)
        outputs.append(output)
        found = results_of([case.name for case in left], status, output)
        left = [case for case in left if case.name not in found]
    return "\n".join(outputs)


def times_in_short(settings):
    """{check: how many processes, their seconds in all, those of the longest}"""
    found = {}
    for check, seconds in settings.times:
        entry = found.setdefault(check, {"number": 0, "seconds": 0, "longest": 0})
        entry["number"] += 1
        entry["seconds"] = round(entry["seconds"] + seconds, 1)
        entry["longest"] = round(max(entry["longest"], seconds), 1)
    return found


def run_batch(cases, check, settings):
    """{name: Result}; `cases` as batches() made them."""
    if not program_of(cases[0], check, settings):
        return {case.name: Result("missing", text="no %s program was built" % CHECKS[check][0]) for case in cases}
    if not CHECKS[check][1]:
        return run_shows(cases, check, settings)
    if not settings.sanitizer:
        return {case.name: Result("missing", text="there is no compute-sanitizer") for case in cases}
    return run_sanitizer(cases, check, settings)


def batches(cases, check, settings, alone=()):
    """Cases that one process can run: of one program, hazards and others apart, for tools no two of one file (their reports name
    the file). Those whose names are in `alone` get a process each: they end it."""
    groups = {}
    for case in cases:
        if check in HAZARDS_ONLY and case.role != "hazard":
            continue
        number = case.name.rpartition("#")[2] if CHECKS[check][1] else ""
        key = (str(program_of(case, check, settings)), case.role == "hazard", number, case.name if case.name in alone else "")
        groups.setdefault(key, []).append(case)
    for key, members in groups.items():
        most = TOGETHER["sanitizer" if CHECKS[check][1] else "hazard" if key[1] else "corrected"]
        pieces = -(-len(members) // most)
        for i in range(pieces):
            yield members[i::pieces]
