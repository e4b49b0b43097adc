#!/usr/bin/env python3
"""Runs the guides of docs/usage: what a page shows is what the program does.

    guides.py --bin CUWARP_LINT [PAGE…]

A page that contains a ```console block is run from top to bottom in a new folder. Blocks with a title are files of that name
(```cuda title="reduce.cu"). In a console block, lines that begin with "$ " are commands (bash), the lines below them what they
print; "…" alone on a line stands for any lines, within a line for any text. A command that ends with a status other than 0 is
followed by "# status N". CUWARP_UPDATE=1 rewrites what differs; read the change before you commit it.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "usage"
BLOCK = re.compile(r"^```(\S+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.M | re.S)


def matches(expected, got):
    pattern = re.escape(expected).replace(re.escape("\n…\n"), "\n(?:.*\n)*?").replace("…", ".*?")
    return re.fullmatch(pattern, got) is not None


def commands(block):
    """Pairs of a command and what it is said to print."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            line, _, output = output.partition("\n")
            command = command[:-1] + line.lstrip("> ")
        yield command, output


def run(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    status = "# status %d\n" % done.returncode if done.returncode else ""
    return done.stdout + status


def run_page(page, program):
    text, wrong, out = page.read_text(), [], []
    with tempfile.TemporaryDirectory(prefix="cuwarp-guide-") as home:
        folder = pathlib.Path(home) / "project"
        folder.mkdir()
        env = dict(os.environ, HOME=home, XDG_CACHE_HOME=home + "/cache", NO_COLOR="1", LC_ALL="C.UTF-8", COLUMNS="120",
                   PATH="%s:%s" % (program.parent, os.environ["PATH"]), GIT_CONFIG_GLOBAL="/dev/null",
                   GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.org", GIT_COMMITTER_NAME="Ada",
                   GIT_COMMITTER_EMAIL="ada@example.org")
        at = 0
        for block in BLOCK.finditer(text):
            kind, title, body = block.groups()
            if title:
                (folder / title).parent.mkdir(parents=True, exist_ok=True)
                (folder / title).write_text(body)
            if kind != "console":
                continue
            shown = body
            for command, expected in commands(body):
                got = run(command, folder, env)
                if not matches(expected.rstrip("\n"), got.rstrip("\n")):
                    wrong.append("%s: $ %s\n--- the page says\n%s--- but it prints\n%s" % (page.name, command, expected, got))
                    shown = shown.replace(command + "\n" + expected, command + "\n" + got, 1)
            out += [text[at:block.start(3)], shown]
            at = block.end(3)
    if wrong and os.environ.get("CUWARP_UPDATE"):
        page.write_text("".join(out) + text[at:])
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    pages = [p for p in options.pages or sorted(PAGES.glob("*.md")) if "```console" in p.read_text()]
    wrong = [w for page in pages for w in run_page(page, options.bin)]
    for w in wrong:
        print(w)
    print("%d guides run, %d outputs differ" % (len(pages), len(wrong)))
    sys.exit(1 if wrong or not pages else 0)


if __name__ == "__main__":
    main()
