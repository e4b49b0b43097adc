#!/usr/bin/env python3
"""How long the language server takes on real files: the median and the 95th percentile of an open, an edit, and a fix.

    latency.py --bin TOOL [--edits N] FILE…

Not a test: it prints a table. For each file a server of its own is started in the file's repository (or folder), with an empty
cache. *open*: from didOpen to the diagnostics; *edit*: from a blank that is inserted before a line of the middle to the diagnostics
of the new text, N times; *fix*: from a request for the actions at the first finding to their list with the proved fixes in it
(files without a finding have none). Texts are never written."""

import argparse
import pathlib
import statistics
import tempfile
import time

from client import Client


def repository_of(path):
    for folder in path.parents:
        if (folder / ".git").exists():
            return folder
    return path.parent


def timed(act):
    begin = time.monotonic()
    value = act()
    return (time.monotonic() - begin) * 1000, value


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def measure(tool, path, edits):
    """(milliseconds of the open, those of the edits, those of the fix or None)"""
    root = repository_of(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    with tempfile.TemporaryDirectory() as home:
        client = Client([tool, "lsp"], root, home)
        try:
            client.initialize()
            name = str(path.relative_to(root))
            opened, found = timed(lambda: client.pushed(client.open(name, text)))
            uri, middle, changed = client.uri(name), text.count("\n") // 2, []
            for _ in range(edits):
                def edit():
                    client.change(uri, (middle, 0, middle, 0, " "))
                    return client.pushed(uri)
                changed.append(timed(edit)[0])
            fixed = timed(lambda: client.actions(uri, client.pushed(uri)[0]["range"]))[0] if found else None
            return opened, changed, fixed
        finally:
            client.kill()


def print_row(name, values):
    if values:
        print("| %s | %d | %.0f | %.0f | %.0f |" % (name, len(values), statistics.median(values), percentile(values, 0.95),
                                                    max(values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: str(pathlib.Path(p).resolve()), required=True)
    parser.add_argument("--edits", type=int, default=3)
    parser.add_argument("files", nargs="+", type=lambda p: pathlib.Path(p).resolve())
    options = parser.parse_args()
    opens, edits, fixes, lines = [], [], [], []
    for path in options.files:
        opened, changed, fixed = measure(options.bin, path, options.edits)
        opens.append(opened)
        edits += changed
        fixes += [fixed] if fixed is not None else []
        lines.append(path.read_bytes().count(b"\n"))
        print("%s: %d lines, open %.0f ms, edit %.0f ms%s" % (path.name, lines[-1], opened, statistics.median(changed),
                                                              ", fix %.0f ms" % fixed if fixed is not None else ""), flush=True)
    print("\n%d files of %d to %d lines, median %d\n" % (len(lines), min(lines), max(lines), statistics.median(lines)))
    print("| what | times | p50, ms | p95, ms | most, ms |\n| --- | --- | --- | --- | --- |")
    for name, values in (("open", opens), ("edit", edits), ("fix", fixes)):
        print_row(name, values)


if __name__ == "__main__":
    main()
