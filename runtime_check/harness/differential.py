"""The linter's claims (claims.py) against what a GPU logs: who comes to each collective, and which lines race.

Compared is what both sides speak of: calls in front of which the log has a mark with nothing between that could part the
lanes, or barriers that racecheck traced, and kernels that were launched with the block shape that the linter assumed. All else is
counted with its reason."""

import collections
import json
import re

from headers import FIXTURES

PARTS = re.compile(rb"[;{}?]|&&|\|\|")
RACE = re.compile(r"Race reported between (.*?)(?=\n=+ \n|\n=+\s*$|\n=+ (?:Error|Warning):|\Z)", re.S)
BARRIER = re.compile(r"^=+ Barrier called by threads starting at \((\d+),(\d+),(\d+)\) in block \(0,0,0\), "
                     r"\(active mask: (0x[0-9a-f]+)\) at .* in ([\w-]+)\.cu:(\d+)$", re.M)
LINE = re.compile(r"([\w-]+)\.cu:(\d+)")


def records_in(output):
    """{case: {id: {warp: (reached, largest set together)}}}"""
    found = {}
    for line in output.split("\n"):
        if line.startswith('{"record"'):
            said = json.loads(line)
            found[said["record"]] = said["places"]
    return found


def block_of(case):
    """The block of its first launch, which is the one that is logged."""
    return (case.runs[0].block + [1, 1])[:3]


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
    if call["whole"] and reached & ~perhaps:
        return "lanes %#010x come, too" % (reached & ~perhaps)
    if call["whole"] and together & ~perhaps:
        return "%#010x were together" % together
    return ""


def merged(calls):
    """One call for each place in the source and iteration: what a helper is called for, and a body that a loop was expanded to,
    comes to one place of the log. `whole`: all that come to the place are told of, so that nobody else may come."""
    places, found = {}, []
    for call in calls:
        places.setdefault((call["offset"], tuple(call["block"])), {}).setdefault(call["iteration"], []).append(call)
    for iterations in places.values():
        for some in iterations.values():
            warps = {w: {} for call in some for w in call["warps"]}
            for call in some:
                for w, lanes in call["warps"].items():
                    for name, mask in lanes.items():
                        warps[w][name] = warps[w].get(name, 0) | mask
            found.append({**some[0], "warps": warps, "whole": set(iterations) == {None},
                          **{word: any(call.get(word) for call in some) for word in ("chosen", "if_any")}})
    return found


def why_not(call, case):
    """Why there is nothing to compare, or empty."""
    if call["block"] != block_of(case):
        return "another block shape"
    if call["chosen"]:
        return "rests on values that the linter chose"
    if any("unsure" in lanes for lanes in call["warps"].values()):
        return "the linter is not sure"
    return ""


def compare_call(call, seen):
    """{warp: how it differs}; `seen`: {warp: (reached, largest set together)}"""
    scope = "barrier" if call["op"] == "barrier" else "warp"
    problems = {}
    for w, lanes in call["warps"].items():
        came = any(reached for reached, _ in seen.values()) if scope == "barrier" else seen.get(w, (0, 0))[0]
        if call["if_any"] and not came:
            continue
        if problem := compare_warp(call, lanes, seen.get(w, (0, 0))):
            problems[w] = problem
    return problems


class Tally:
    """Calls compared with one kind of log."""

    def __init__(self):
        self.agree, self.differ, self.skipped = 0, [], collections.Counter()

    def compare(self, case, call, seen):
        if reason := why_not(call, case):
            self.skipped[reason] += 1
            return
        problems = compare_call(call, seen)
        self.agree += not problems
        if problems:
            self.differ.append({"case": case.name, "op": call["op"], "line": call["line"], "iteration": call["iteration"],
                                "warps": problems})

    def to_json(self):
        return {"agree": self.agree, "differ": self.differ, "not_compared": dict(sorted(self.skipped.items()))}


def calls_of(case, claims):
    """The calls of its kernel under its launch; those that the linter saw under others only are there, too."""
    claim = claims.get(case.file, {"calls": [], "places": []})
    calls = [call for call in claim["calls"] if same_kernel(call["kernel"], case.kernel)]
    seen = {call["offset"] for call in calls if call["block"] == block_of(case)}
    return merged([call for call in calls if call["block"] == block_of(case) or call["offset"] not in seen]), claim["places"]


def participation(cases, claims, records):
    """A summary for the report: how many calls were compared, which differ, and why others were not."""
    tally = Tally()
    for case in cases:
        calls, places = calls_of(case, claims)
        text = (FIXTURES / (case.file + ".cu")).read_bytes()
        for call in calls:
            mark = mark_of(call, places, text)
            if case.name not in records:
                tally.skipped["hangs, faults or was not run"] += 1
            elif mark is None:
                tally.skipped["no mark right in front of it"] += 1
            else:
                tally.compare(case, call, records[case.name].get(str(mark), {}))
    return tally.to_json()


def traced_barriers(output, case):
    """{line: {warp: (reached, largest set together)}} of the first block's barriers, from racecheck's trace."""
    found, block = {}, block_of(case)
    for x, y, z, active, name, line in BARRIER.findall(output):
        if name != case.path.stem:
            continue
        warp = str((int(x) + block[0] * (int(y) + block[1] * int(z))) // 32)
        reached, together = found.setdefault(int(line), {}).get(warp, (0, 0))
        mask = int(active, 16)
        found[int(line)][warp] = (reached | mask, max(together, mask, key=lambda m: bin(m).count("1")))
    return found


def barriers(cases, claims, traces):
    """The same for barriers, by racecheck's trace; `traces`: {case: output}. Columns are not logged: a line with two barriers is
    passed over, and so are barriers that the log places in a header."""
    tally = Tally()
    for case in cases:
        calls = [call for call in calls_of(case, claims)[0] if call["op"] == "barrier"]
        if case.name not in traces or not calls:
            continue
        seen, offsets = traced_barriers(traces[case.name], case), collections.defaultdict(set)
        for call in calls:
            offsets[call["line"]].add(call["offset"])
        for call in calls:
            if len(offsets[call["line"]]) > 1 or not seen:
                tally.skipped["no trace of its own"] += 1
            else:
                tally.compare(case, call, seen.get(call["line"], {}))
    return tally.to_json()


def races_in(output, stem):
    """Pairs of lines of the fixture that racecheck names: one access, and all that race with it."""
    found = set()
    for race in RACE.findall(output):
        lines = [int(number) for name, number in LINE.findall(race) if name == stem]
        found |= {tuple(sorted((lines[0], other))) for other in lines[1:]}
    return sorted(found)


def races(cases, claims, seen):
    """`seen`: {case: [pair of lines]} of racecheck. How many of its pairs the linter names, and how many are between lines of one
    cause that it names (a barrier that orders its pairs orders these); causes of which racecheck names nothing (it sees one
    schedule, and trusts lanes of a warp to keep step); pairs that it alone names, those of them apart that stand in a hazard
    which is a barrier's: not all threads come to it, and what is told is that."""
    found = {"both": 0, "same_cause": 0, "told_as_barrier": 0, "linter_only": [], "racecheck_only": []}
    for case in cases:
        if case.role != "hazard" or case.name not in seen:
            continue
        causes = [race for race in claims.get(case.file, {"races": []})["races"] if same_kernel(race["kernel"], case.kernel)]
        for race in causes:
            race_pairs = {tuple(pair) for pair in race["pairs"]}
            if race["definite"] and not race_pairs & set(seen[case.name]):
                found["linter_only"].append({"case": case.name, "lines": race["pairs"][-1]})
        for pair in seen[case.name]:
            if any(list(pair) in race["pairs"] for race in causes):
                found["both"] += 1
            elif any(set(pair) <= set(sum(race["pairs"], [])) for race in causes):
                found["same_cause"] += 1
            elif "barrier" in case.rule:
                found["told_as_barrier"] += 1
            else:
                found["racecheck_only"].append({"case": case.name, "lines": list(pair)})
    return found
