#!/usr/bin/env python3
"""Fails when README.md shows something that is not so.

    readme.py TOOL SOURCE_DIR

Its ```cuda block is the file that the `$ cuwarp-lint FILE` line of the next block lints; what follows that line is the exact
output. Links to files of the project must lead somewhere.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLE = re.compile(r"```cuda\n(.*?)```.*?```\n\$ cuwarp-lint (\S+)\n(.*?)```", re.S)
LINK = re.compile(r"\]\(([^):#]+)\)")


def example_failures(tool, text):
    examples = EXAMPLE.findall(text)
    if not examples:
        yield "README.md: no example was found"
    for code, name, expected in examples:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / name).write_text(code, encoding="utf-8")
            done = subprocess.run([tool, name], cwd=folder, capture_output=True, text=True)
        if done.stdout != expected:
            yield "%s: README.md shows\n%s\nbut the tool says\n%s%s" % (name, expected, done.stdout, done.stderr)


def main(tool, root):
    text = (root / "README.md").read_text(encoding="utf-8")
    failures = list(example_failures(tool, text))
    failures += ["README.md: %s is not there" % link for link in LINK.findall(text) if not (root / link).exists()]
    print("\n".join(failures) or "README.md shows what is so")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])))
