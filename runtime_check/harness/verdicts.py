"""From what the checks said to one verdict per hazard; nothing is rounded up."""

import dataclasses

from checks import SHOWS, SKEWED, TOOLS
from registry import FALSE_ALARMS

CONFIRMED = ("wrong results", "hang", "fault", "wrong when skewed", "hang when skewed", "fault when skewed")
# Wrong, but only as another program: without optimisation, or slowed by a tool.
OTHERWISE = ("wrong with -G", "hang with -G", "fault with -G", "wrong under racecheck", "wrong under synccheck")


def verdict_of(results):
    """`results` by check. Wrong in some runs is wrong; what only the build with -G shows, or a
    run that a tool slows, is said to be just that."""
    def kind(check):
        result = results.get(check)
        if not result or not result.bad:
            return None
        return "wrong" if result.wrong else result.outcome
    names = {"wrong": "wrong results", "hang": "hang", "fault": "fault"}
    if kind("plain"):
        return names[kind("plain")]
    for check in SKEWED:
        if kind(check):
            return "%s when skewed" % kind(check)
    if kind("debug"):
        return "%s with -G" % kind("debug")
    for tool in TOOLS:
        if tool in results and results[tool].wrong:
            return "wrong under %s" % tool
    if any(result.reports > 0 for check, result in results.items() if check not in SHOWS):
        return "sanitizer only"
    if results.get("plain") is None or results["plain"].outcome != "done":
        return "not run"
    return "not reproduced on this GPU"


def not_shown(report):
    """The hazards of a report that were never seen wrong."""
    return [row for row in report["hazards"] if row["verdict"] not in CONFIRMED + OTHERWISE]


def mark(result):
    """One cell of the matrix."""
    if result is None or result.outcome == "missing":
        return "-"
    if result.outcome == "failed":
        return "?"
    if result.reports >= 0:
        return "reports" if result.reports else ("hang" if result.outcome == "hang" else "silent")
    if result.outcome in ("hang", "fault"):
        return result.outcome
    return "%d/%d" % (result.wrong, result.units)


def is_sound(results):
    """A corrected kernel: right in every run, and no sanitizer says a word."""
    return bool(results) and all(r.outcome in ("done", "missing") and not r.wrong and r.reports <= 0 for r in results.values())


def false_alarms(case):
    """{check: why its reports on this corrected kernel are false}"""
    return {check: why for (file, check), why in FALSE_ALARMS.items() if file == case.file}


def without_false_alarms(case, results):
    """What the other checks said, and of those the results that were computed under the tool."""
    known = false_alarms(case)
    return {check: dataclasses.replace(result, reports=0) if check in known else result for check, result in results.items()}
