"""The linter's claims (claims.py) against what a GPU logs: who comes to each collective, and which lines race.

Compared is what both sides speak of: calls in front of which the log has a mark with nothing between that could part the
lanes, and kernels that were launched with the block shape that the linter assumed. All else is counted with its reason."""

import collections
import json
import re

from headers import FIXTURES

PARTS = re.compile(rb"[;{}?]|&&|\|\|")
RACE = re.compile(r"Race reported between (.*?)(?=\n=+ \n|\n=+\s*$|\n=+ (?:Error|Warning):|\Z)", re.S)
LINE = re.compile(r"([\w-]+)\.cu:(\d+)")


def records_in(output):
    """{case: {id: {warp: (reached, largest set together)}}}"""
    found = {}
    for line in output.split("\n"):
        if line.startswith('{"record"'):
            said = json.loads(line)
            found[said["record"]] = said["places"]
    return found


def same_kernel(a, b):
    return a.replace(" ", "") == b.replace(" ", "")


def mark_of(call, places, text):
    """The mark that all who come to the call have passed, and nobody else; or None."""
    before = [place for place in places if place["offset"] <= call["offset"]]
    if not before:
        return None
    place = max(before, key=lambda p: p["offset"])
    return None if PARTS.search(text[place["offset"]:call["offset"]]) else place["id"]


def compare_warp(call, lanes, seen):
    """Empty, or how they differ. `seen`: (reached, largest set together), zeros where nobody came."""
    surely, perhaps = lanes.get("arrives", 0), lanes.get("arrives", 0) | lanes.get("data", 0)
    reached, together = seen
    if surely & ~reached:
        return "lanes %#010x do not come" % (surely & ~reached)
    if call["iteration"] is None and reached & ~perhaps:
        return "lanes %#010x come, too" % (reached & ~perhaps)
    if call["iteration"] is None and together & ~perhaps:
        return "%#010x were together" % together
    return ""


def why_not(call, case, repeated, mark):
    block = (case.runs[0].block + [1, 1])[:3]
    whole = all(lanes.get("arrives") and set(lanes) == {"arrives"} for lanes in call["warps"].values())
    if call["block"] != block:
        return "another block shape"
    if repeated:
        return "called from several places"
    if mark is None:
        return "no mark right in front of it"
    if case.takes_size() and not whole:
        return "depends on a size that the linter chose"
    if any("unsure" in lanes for lanes in call["warps"].values()):
        return "the linter is not sure"
    return ""


def participation(cases, claims, records):
    """A summary for the report: how many calls were compared, which differ, and why others were not."""
    agree, differ, skipped = 0, [], collections.Counter()
    for case in cases:
        claim = claims.get(case.file, {"calls": [], "places": []})
        calls = [call for call in claim["calls"] if same_kernel(call["kernel"], case.kernel)]
        times = collections.Counter((call["offset"], call["iteration"]) for call in calls)
        text = (FIXTURES / (case.file + ".cu")).read_bytes()
        for call in calls:
            if case.name not in records:
                skipped["hangs, faults or was not run"] += 1
                continue
            mark = mark_of(call, claim["places"], text)
            if reason := why_not(call, case, times[call["offset"], call["iteration"]] > 1, mark):
                skipped[reason] += 1
                continue
            seen = records[case.name].get(str(mark), {})
            problems = {w: problem for w, lanes in call["warps"].items()
                        if (problem := compare_warp(call, lanes, seen.get(w, (0, 0))))}
            agree += not problems
            if problems:
                differ.append({"case": case.name, "op": call["op"], "line": call["line"], "iteration": call["iteration"],
                               "warps": problems})
    return {"agree": agree, "differ": differ, "not_compared": dict(sorted(skipped.items()))}


def races_in(output, stem):
    """Pairs of lines of the fixture that racecheck names."""
    found = set()
    for race in RACE.findall(output):
        lines = [int(number) for name, number in LINE.findall(race) if name == stem]
        if len(lines) >= 2:
            found.add(tuple(sorted(lines[:2])))
    return sorted(found)


def races(cases, claims, seen):
    """`seen`: {case: [pair of lines]} of racecheck. Pairs that both name, that the linter alone names (racecheck sees one
    schedule, and trusts lanes of a warp to keep step), and that racecheck alone names."""
    both, linter_only, racecheck_only = 0, [], []
    for case in cases:
        if case.role != "hazard" or case.name not in seen:
            continue
        claim = claims.get(case.file, {"races": []})
        claimed = {tuple(race["lines"]) for race in claim["races"] if same_kernel(race["kernel"], case.kernel)}
        both += len(claimed & set(seen[case.name]))
        linter_only += [{"case": case.name, "lines": list(pair)} for pair in sorted(claimed - set(seen[case.name]))]
        racecheck_only += [{"case": case.name, "lines": list(pair)} for pair in seen[case.name] if pair not in claimed]
    return {"both": both, "linter_only": linter_only, "racecheck_only": racecheck_only}
