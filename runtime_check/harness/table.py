#!/usr/bin/env python3
"""Makes of a report what `cuwarp-lint explain` shows: the table runtime_check/verdicts.def.

    table.py [report.json]        default: runtime_check/report.json

What being correct costs is taken from cost.json beside it and from that of runtime_check/wild (cost.py), where they exist.
"""

import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cost  # noqa: E402
import registry  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
REPORT = HERE.parent / "report.json"
TABLE = HERE.parent / "verdicts.def"
HEAD = """/* CW_GPU_MACHINE(text) and CW_GPU_VERDICT(rule, kernel, verdict, text): what runtime_check saw on a GPU, for
 * `cuwarp-lint explain`. Made by runtime_check/harness/table.py from runtime_check/report.json. */
"""
COSTS = [HERE.parent / "cost.json", HERE.parent / "wild" / "cost.json"]
NAMES = {"plain": "plain", "skewed": "skewed", "everywhere": "skewed everywhere", "debug": "with -G"}


def counted(check, result):
    """One check in words: "3 of 20480 blocks wrong plain"."""
    if result["outcome"] in ("hang", "fault"):
        return "%s %s" % ("hangs" if result["outcome"] == "hang" else "faults", NAMES[check])
    if "units" not in result or result["outcome"] != "done":
        return None
    return "%d of %d %s wrong %s" % (result["wrong"], result["units"], result["unit"], NAMES[check])


def in_words(row):
    ran = [counted(check, row["checks"][check]) for check in NAMES if check in row["checks"]]
    tools = ["%s %s" % (tool, "reports it" if row["checks"][tool]["reports"] else "silent")
             for tool in ("racecheck", "synccheck") if "reports" in row["checks"].get(tool, {})]
    parts = [", ".join(part for part in ran if part), ", ".join(tools), row.get("note", "")]
    return "; ".join(part for part in parts if part)


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def costs():
    """{rule: ratios} of all pairs that were measured; see uncounted() for the rules of which none has a ratio."""
    found = uncounted()
    for path in COSTS:
        if path.is_file():
            for pair in json.loads(path.read_text(encoding="utf-8"))["pairs"]:
                found[pair["rule"]] = (found.get(pair["rule"]) or []) + [pair["ratio"]]
    return found


def uncounted():
    """Every rule with hazards that were to be timed beside what corrects them: None where each hazard hangs or faults, else an empty
    list, which ratios are added to."""
    report = json.loads(COSTS[0].read_text(encoding="utf-8"))
    found = {}
    for pair in cost.pairs_of(*registry.load()):
        hangs = found.get(pair.rule, True) is None or pair.rule not in found
        found[pair.rule] = None if hangs and pair.hazard in report["without_time"] else []
    return found


def cost_in_words(ratios):
    if ratios is None:
        return "no ratio, as the hazards hang or fault"
    if not ratios:
        return "no ratio, as the kernels are too short to be timed, or their times vary by more than %d %%" % (100 * cost.MOST_SPREAD)
    if len(ratios) == 1:
        return "the corrected kernel takes %.2f times as long as the hazard (one pair)" % ratios[0]
    return "the corrected kernel takes %.2f times as long as the hazard (median of %d pairs, %.2f to %.2f)" % (
        statistics.median(ratios), len(ratios), min(ratios), max(ratios))


def table_of(report, ratios=None):
    machine = report["machine"]
    lines = [HEAD.rstrip("\n"), "CW_GPU_MACHINE(%s)" % quoted(
        "%s, driver %s, CUDA %s" % (machine["gpu"], machine["driver"], machine["toolkit"]))]
    for row in sorted(report["hazards"], key=lambda r: (r["rule"], r["name"])):
        kernel = row["kernel"].partition("<")[0]
        lines.append("CW_GPU_VERDICT(%s, %s,\n               %s, %s)" % (
            quoted(row["rule"]), quoted("%s in %s" % (kernel, row["file"])), quoted(row["verdict"]), quoted(in_words(row))))
    for rule, why in sorted(report["not_for_a_gpu"].items()):
        lines.append('CW_GPU_VERDICT(%s, "", "nothing to show", %s)' % (quoted(rule), quoted(why)))
    for rule, some in sorted((ratios or {}).items()):
        lines.append('CW_GPU_VERDICT(%s, "",\n               "cost of being correct", %s)' % (quoted(rule), quoted(cost_in_words(some))))
    return "\n".join(lines) + "\n#undef CW_GPU_MACHINE\n#undef CW_GPU_VERDICT\n"


def main(arguments):
    report = pathlib.Path(arguments[0]) if arguments else REPORT
    TABLE.write_text(table_of(json.loads(report.read_text(encoding="utf-8")), costs()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
