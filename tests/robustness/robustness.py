#!/usr/bin/env python3
"""Feeds the tool damaged and absurd input; it must neither crash, hang nor trip a sanitizer.

    robustness.py --tool FILE [--files 20] [--cuts 50] [--scale 1.0] [--whole] PATH...

For up to --files of the CUDA sources below the paths (the largest, to cut through the most code): copies cut at --cuts
places. Then texts that no person writes: binary, empty, one line of 10 MB, 100 000 open brackets and the like, --scale
times as large. --whole runs the tool on every source as it is, too.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ALLOWED_STATUS = {0, 1, 3}
CRASH = re.compile(r"AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|MemorySanitizer|runtime error:|"
                   r"crashed on it|Assertion .* failed|Segmentation fault|Aborted|Stack dump|libclang: crash", re.I)
LIMIT = re.compile(r"more (time|memory) needed than the limit")
BATCH = 50

KERNEL = "__global__ void k(int *a) {\n  int t = threadIdx.x;\n  %s\n  if (t < a[0]) __syncthreads();\n}\n"


def layered(layers, width, form, use, join, first):
    """Definitions in layers, each of which uses all of the layer below: more ways through them than can be followed."""
    return "".join(form.format(layer, i, join.join(use.format(layer - 1, k) for k in range(width)) if layer else first)
                   for layer in range(layers) for i in range(width))


def absurd_texts(scale):
    """Name -> bytes. Nothing here needs to be analysed well; all of it must be survived."""
    deep = max(10, int(100000 * scale))
    megabytes = max(1000, int(10 * 1000 * 1000 * scale))
    noise = random.Random(1)
    texts = {
        "empty": "",
        "newline": "\n",
        "mark_only": b"\xef\xbb\xbf",
        "zeros": b"\0" * 4096,
        "binary": bytes(noise.randrange(256) for _ in range(65536)),
        "binary_with_marks": b"\x7fELF__global__ void k() {\0\1\2" + bytes(noise.randrange(256) for _ in range(4096)),
        "noise_with_marks": b"__global__ void k(int *a) {" + bytes(noise.randrange(1, 256) for _ in range(65536)),
        "malformed_utf8": b"__global__ void k\xff\xfe(int *\xc3) { __syncthreads(); } // \xe2\x82",
        "utf16": "__global__ void k() { __syncthreads(); }".encode("utf-16"),
        "crlf": KERNEL.replace("\n", "\r\n") % ";",
        "carriage_returns": KERNEL.replace("\n", "\r") % ";",
        "no_last_newline": (KERNEL % ";").rstrip("\n"),
        "only_marker": "__global__",
        "open_string": "__global__ void k() { const char *s = \"",
        "open_comment": "__global__ void k() { /*",
        "open_raw_string": "__global__ void k() { const char *s = R\"x(",
        "one_line_sum": KERNEL % ("t = " + "1+" * (megabytes // 2) + "1;"),
        "one_line_statements": KERNEL.replace("\n", " ") % ("t++;" * (megabytes // 4)),
        "one_line_comment": KERNEL % ("// " + "x" * megabytes),
        "one_line_string": KERNEL % ('const char *s = "' + "x" * megabytes + '";'),
        "one_name": KERNEL % ("int " + "x" * megabytes + ";"),
        "many_kernels": "".join("__global__ void k%d(int *a) { if (threadIdx.x) __syncthreads(); }\n" % i
                                for i in range(max(10, deep // 50))),
        "many_barriers": KERNEL % ("if (t) __syncthreads();" * max(10, deep // 20)),
        "many_variables": KERNEL % "".join("int v%d = t + %d;" % (i, i) for i in range(max(10, deep // 10))),
        "long_condition": KERNEL % ("if (" + "t > 1 && " * max(10, deep // 50) + "t) a[0] = 1;"),
        "conditionals": "#if A\n" * deep + KERNEL % ";",
        "conditionals_else": "#if A\n#else\n" * (deep // 2) + KERNEL % ";",
        "self_include": "#include __FILE__\n" + KERNEL % ";",
        "macro_bomb": "#define A0 t++;\n" + "".join("#define A%d A%d A%d A%d A%d\n" % (i, i - 1, i - 1, i - 1, i - 1)
                                                    for i in range(1, 7)) + KERNEL % "A6",
        "template_loop": "template <int N> __device__ int f(int a) { return f<N + 1>(a); }\n" + KERNEL % "a[0] = f<0>(t);",
        "huge_array": KERNEL % "__shared__ int s[1000000000]; s[t] = 1;",
        "huge_loop": KERNEL % "for (long i = 0; i < 1000000000000l; i++) if (i == t) __syncthreads();",
        "wide_switch": KERNEL % ("switch (t) {" + "".join("case %d: a[%d] = t; break;" % (i, i)
                                                          for i in range(max(10, deep // 50))) + "}"),
    }
    layers, width = 8, 30
    texts["calls_in_layers"] = layered(layers, width, "__device__ int f{0}_{1}(int a) {{ return {2}; }}\n", "f{0}_{1}(a)",
                                       " + ", "a") + KERNEL % ("a[t] = " + " + ".join(
                                           "f%d_%d(t)" % (layers - 1, i) for i in range(width)) + ";")
    texts["empty_elements"] = "struct e {}; struct s { e a[1000000000][1000000000]; };\n" + KERNEL % "s x, y = x; a[t] = sizeof y;"
    for name, piece, close in (("parentheses", "(", ")"), ("braces", "{", "}"), ("brackets", "[", "]"),
                               ("angles", "a<", ">"), ("ifs", "if (t) {", "}"), ("loops", "for (;;) {", "}"),
                               ("negations", "-", ""), ("pointers", "*", ""), ("ternaries", "t ? t : ", ""),
                               ("lambdas", "[&] {", "}"), ("namespaces", "namespace n {", "}"), ("calls", "f(", ")"),
                               ("structs", "struct s {", "};")):
        count = max(10, deep // len(piece))
        texts["deep_" + name] = KERNEL % ("t = " + piece * count + "1" + close * count + ";")
        texts["open_" + name] = KERNEL % (piece * count)
    return {name + ".cu": t if isinstance(t, bytes) else t.encode() for name, t in texts.items()}


class Checker:
    def __init__(self, tool, options, timeout):
        self.tool, self.options, self.timeout = tool, options, timeout
        self.failures, self.runs, self.limits = [], 0, 0

    def run(self, what, paths, extra=(), limits_allowed=False):
        self.runs += len(paths)
        command = [self.tool, "--no-cache"] + self.options + list(extra) + [str(p) for p in paths]
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.timeout * len(paths))
        except subprocess.TimeoutExpired:
            self.fail(what, "no end after %d s" % (self.timeout * len(paths)), "")
            return
        output = (done.stdout + done.stderr).decode(errors="replace")
        # Excerpts quote the input, which may hold any of the words: only what the tool itself says counts.
        said = done.stderr.decode(errors="replace")
        if done.returncode not in ALLOWED_STATUS:
            self.fail(what, "exit status %d" % done.returncode, output)
        elif CRASH.search(said):
            self.fail(what, CRASH.search(said)[0], said)
        elif LIMIT.search(said):
            self.limits += len(LIMIT.findall(said))
            if not limits_allowed:
                self.fail(what, LIMIT.search(said)[0], said)

    def fail(self, what, why, output):
        self.failures.append(what)
        print("FAILED %s: %s" % (what, why))
        lines = output.splitlines()
        matching = [i for i, line in enumerate(lines) if CRASH.search(line) or LIMIT.search(line)]
        start = max(0, matching[0] - 2) if matching else 0
        print("\n".join("    " + line[:200] for line in lines[start:start + 12]), flush=True)


def sources_below(paths):
    found = set()
    for path in map(pathlib.Path, paths):
        found |= {path} if path.is_file() else {f for f in path.rglob("*") if f.suffix in (".cu", ".cuh") and f.is_file()}
    return sorted(found)


def check_cuts(checker, file, cuts, scratch):
    data = file.read_bytes()
    copies = []
    for i in range(cuts):
        at = len(data) * (i + 1) // (cuts + 1)
        copy = scratch / ("%s_cut_%d%s" % (file.stem, at, file.suffix))
        copy.write_bytes(data[:at])
        copies.append(copy)
    for first in range(0, len(copies), BATCH):
        checker.run("%s cut" % file, copies[first:first + BATCH], ["-I", str(file.parent.resolve())])
    for copy in copies:
        copy.unlink()


def check_absurd(checker, scale, scratch):
    for name, data in absurd_texts(scale).items():
        path = scratch / name
        path.write_bytes(data)
        checker.run(name, [path], limits_allowed=True)
        path.unlink()


def check_odd_paths(checker, scratch):
    folder = scratch / "folder.cu"
    folder.mkdir()
    checker.run("a folder called .cu", [folder])
    checker.run("a missing file", [scratch / "missing.cu"])
    os.symlink("loop.cu", scratch / "loop.cu")
    checker.run("a link to itself", [scratch / "loop.cu"])
    os.mkfifo(scratch / "fifo.cu")
    checker.run("a pipe nobody writes to", [scratch / "fifo.cu"])
    odd = scratch / "odd \"name\"\n\xe9 [x].cu"
    odd.write_text(KERNEL % ";")
    checker.run("an odd file name", [odd])
    checker.run("a device", [pathlib.Path("/dev/null")])


def self_test(tool):
    """A checker that cannot fail proves nothing: these must be noticed."""
    for script in ("exit 2", "kill -SEGV $$", "echo '==1==ERROR: AddressSanitizer: x' >&2; exit 1",
                   "echo 'note: a.cu: the analyser crashed on it (SIGSEGV)' >&2; exit 3", "sleep 5"):
        checker = Checker("/bin/sh", ["-c", script, tool], 1)
        sys.stdout, keep = open(os.devnull, "w"), sys.stdout
        checker.run("self-test", [pathlib.Path("x")])
        sys.stdout.close()
        sys.stdout = keep
        if not checker.failures:
            sys.exit("robustness: %r went unnoticed" % script)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one file")
    parser.add_argument("--option", action="append", default=[], help="a further argument of the tool")
    parser.add_argument("paths", nargs="+")
    o = parser.parse_args()
    self_test(o.tool)
    checker = Checker(o.tool, o.option, o.timeout)
    sources = sources_below(o.paths)
    if not sources:
        sys.exit("robustness: no CUDA sources below %s" % o.paths)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        if o.whole:
            for first in range(0, len(sources), BATCH):
                checker.run("sources from %s" % sources[first], sources[first:first + BATCH])
        for file in sorted(sources, key=lambda f: f.stat().st_size, reverse=True)[:o.files]:
            check_cuts(checker, file, o.cuts, scratch)
        check_absurd(checker, o.scale, scratch)
        check_odd_paths(checker, scratch)
    print("%d inputs, %d stopped by a limit, %d failures" % (checker.runs, checker.limits, len(checker.failures)))
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
