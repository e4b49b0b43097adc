#!/usr/bin/env python3
"""Fails when README.md shows something that is not so.

    readme.py TOOL SOURCE_DIR

Its ```cuda block is the file that the `$ cuwarp-lint FILE` line of the next block lints; what follows that line is the exact
output; with UPDATE_SNAPSHOTS=1 in the environment the block is rewritten instead. Links to files of the project must lead
somewhere.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLE = re.compile(r"```cuda\n(.*?)```.*?```\n\$ cuwarp-lint (\S+)\n(.*?)```", re.S)
LINK = re.compile(r"\]\(([^):#]+)\)")


def says(tool, code, name):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / name).write_text(code, encoding="utf-8")
        return subprocess.run([tool, "--no-cache", name], cwd=folder, capture_output=True, text=True).stdout


def main(tool, root):
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    failures = ["README.md: %s is not there" % link for link in LINK.findall(text) if not (root / link).exists()]
    examples = EXAMPLE.findall(text)
    if not examples:
        failures.append("README.md: no example was found")
    for code, name, expected in examples:
        actual = says(tool, code, name)
        if actual != expected and os.environ.get("UPDATE_SNAPSHOTS") == "1":
            text = text.replace(expected, actual)
            readme.write_text(text, encoding="utf-8")
        elif actual != expected:
            failures.append("%s: README.md shows\n%s\nbut the tool says\n%s" % (name, expected, actual))
    print("\n".join(failures) or "README.md shows what is so")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])))
