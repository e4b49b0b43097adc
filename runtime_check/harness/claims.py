"""What the linter says of the registered kernels, in a form that can be compared with what a GPU logs.

Written by prepare.py, where the linter is; differential.py compares, where the GPU is.

    {FILE: {"places": [{"id", "offset"}], "calls": [{"kernel", "op", "line", "column", "offset", "iteration", "block",
            "chosen", "if_any", "warps": {W: {"arrives", "data", …}}}],
            "races": [{"kernel", "definite", "pairs": [[LINE, LINE]]}]}}

`chosen`: who comes rests on values that the linter chose for what it does not know, so another run is not bound by it.
`if_any`: "arrives" is said for the case that anybody comes. A race is one cause, with all pairs of lines that it lets race.
"""

import json
import re
import subprocess

HEAD = re.compile(r"^participation of (.+), block \((\d+),(\d+),(\d+)\), sample (\d+)$")
CALL = re.compile(r"^  (\w+) at (\d+):(\d+)(?: iteration (\d+)(?: of \d+)*)?(, if anybody comes)?(, for chosen values)?$")
WARPS = re.compile(r"^    warps? (\d+)(?:-(\d+))?: (.*)$")
LANES = re.compile(r"(arrives|exited|elsewhere|data|unsure) (0x[0-9a-f]+)")
RACES = re.compile(r"^races of (.+)$")
RACE = re.compile(r"^  (definite|possible) ")
SIDES = re.compile(r", (?:atomic )?(?:write|read) \w+ at .+?:(\d+):\d+")
ALSO = re.compile(r", also \w+ at .+?:(\d+):\d+.*?, with \w+ at .+?:(\d+):\d+")


def dump(tool, what, arguments, path):
    done = subprocess.run([tool, *arguments, "--preview", "--isolated", "--dump", what, str(path)], capture_output=True, text=True)
    return done.stdout.split("\n")


def calls_in(lines):
    found, kernel, block = [], None, None
    for line in lines:
        if head := HEAD.match(line):
            kernel, block = head[1], [int(head[k]) for k in (2, 3, 4)]
        elif call := CALL.match(line):
            found.append({"kernel": kernel, "block": block, "op": call[1], "line": int(call[2]), "column": int(call[3]),
                          "iteration": int(call[4]) if call[4] else None, "if_any": bool(call[5]), "chosen": bool(call[6]),
                          "warps": {}})
        elif (warps := WARPS.match(line)) and found:
            lanes = {name: int(mask, 16) for name, mask in LANES.findall(warps[3])}
            for w in range(int(warps[1]), int(warps[2] or warps[1]) + 1):
                found[-1]["warps"][str(w)] = lanes
    return found


def races_in(lines):
    found, kernel = [], None
    for line in lines:
        if head := RACES.match(line):
            kernel = head[1]
        elif race := RACE.match(line):
            sides = [int(at) for at in SIDES.findall(line)]
            pairs = [sorted(map(int, pair)) for pair in ALSO.findall(line)] + ([sorted(sides)] if len(sides) == 2 else [])
            if pairs:
                found.append({"kernel": kernel, "definite": race[1] == "definite", "pairs": pairs})
    return found


def offset_of(text, line, column):
    """Of a place that the linter names, in bytes; columns count bytes from 1."""
    data = text.encode()
    at = 0
    for _ in range(line - 1):
        at = data.index(b"\n", at) + 1
    return at + column - 1


def of_file(tool, arguments, path, manifest):
    """`manifest`: cuwarp_skew.json of the copy with calls everywhere."""
    text = path.read_text(encoding="utf-8")
    places = [{"id": skew["id"], "offset": skew["inserted"][0]["offset"]}
              for skew in manifest["skews"] if skew["file"] == path.name and skew["inserted"]]
    calls = calls_in(dump(tool, "participation", arguments, path))
    for call in calls:
        call["offset"] = offset_of(text, call["line"], call["column"])
    return {"places": places, "calls": calls, "races": races_in(dump(tool, "races", arguments, path))}


def write(path, claims):
    path.write_text(json.dumps(claims, indent=None, sort_keys=True) + "\n", encoding="utf-8")
