#!/usr/bin/env python3
"""Runs fixtures on the CPU emulation and compares what it shows with what they announce.

    run.py [--build DIR] [--seeds N] [--verbose] [--all] [--record] [PATH...]      default: fixtures/ and tests/emu/self/

A fixture with `// cuwarp-run:` lines in its header becomes a C++ program (docs/internals/emulation.md). Its verdict is
clean, race, violation, hang or wrong; a good fixture must be clean and a bad one must not, unless `// cuwarp-emu:` says
something else. Exit status 1 when a verdict is not what it must be.

A verdict hangs on the fixture, on the driver of its shape and on the emulation alone, so verdicts.csv keeps those that were
seen, with a digest of the first two for each fixture and one of the emulation; comments and layout do not count. Only what is not
in it is run, and a fixed part of what is: one of 32, and one of 8 when the emulation is another one than that of the records.
--all runs everything; --record writes the file anew. What does not fit is tried once more on its own before it counts.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "runtime_check" / "harness"))

import headers  # noqa: E402  (its folder is no package)
from headers import Malformed  # noqa: E402

RUNTIME = ["scheduler.cpp", "sync.cpp", "memory.cpp", "ptx.cpp", "hidden.cpp"]
HEADERS = ["all.hpp", "cuda_emu.hpp", "groups_emu.hpp", "runtime.hpp", "internal.hpp", "hidden.hpp"]
VERDICTS = {"clean", "race", "violation", "hang", "wrong"}
COMMON = ["-std=c++17", "-O1", "-g1", "-pthread"]
DEVICE = [*COMMON, "-fsanitize=thread", "--param", "tsan-distinguish-volatile=1", "-w"]
PROCESS_SECONDS = 180
BATCH = 8  # fixtures in one translation unit
RECORDS = HERE / "verdicts.csv"
ALWAYS = 32  # one fixture of so many is run although its verdict is known
AFTER_CHANGES = 8  # the same, when the emulation is not that of the records


class Fixture:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.runs, self.announced = headers.read_header(self.text)
        if self.announced and self.announced.split()[0] not in VERDICTS | {"cannot"}:
            raise Malformed("cuwarp-emu: %s" % self.announced)
        if self.announced and self.announced.startswith("cannot") and len(self.announced.split()) < 2:
            raise Malformed("cuwarp-emu: cannot, and no reason")

    @property
    def name(self):
        return str(self.path.relative_to(ROOT)) if self.path.is_relative_to(ROOT) else str(self.path)

    @functools.cached_property
    def digest(self):
        """Of the program that is made of it, and of the drivers that this calls."""
        try:
            text = to_cpp(self, 0).replace(str(self.path), self.name)
        except Malformed:
            text = self.text
        return short_digest(plain(text), SHAPES.of(run.shape for run in self.runs))

    @property
    def cannot(self):
        return bool(self.announced) and self.announced.startswith("cannot")

    def accepts(self, verdict):
        if self.announced:
            return verdict == self.announced.split()[0]
        return (verdict == "clean") == self.path.name.startswith("good_") and verdict in VERDICTS


# --- from CUDA to C++ -------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.M)
DYNAMIC = re.compile(r"\bextern\s+((?:volatile\s+)?)__shared__\s+((?:(?:__align__|alignas)\s*\(\s*\w+\s*\)\s+)?)([^;\[]*?)(\w+)\s*\[\s*\]\s*;")
ASM = re.compile(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(")
OPERAND = re.compile(r'"([^"]*)"\s*\(')
SUPPORTED = re.compile(r"cooperative_groups|cuda/barrier|cuda/pipeline|cuda/atomic|cuda_pipeline|cuda_runtime|cstdio|cstdint|stdio\.h|"
                       r"stdint\.h|cmath|math\.h|cstddef|cstring|cassert|assert\.h|cfloat|float\.h|climits|limits\.h|utility")


def without_launches(text):
    """Host code is compiled and never run: a launch becomes a call of the kernel."""
    out, at = [], 0
    while (begin := text.find("<<<", at)) >= 0:
        end = text.find(">>>", begin)
        if end < 0:
            break
        out += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + 3
    return "".join(out) + text[at:]


def closing(text, at):
    """Index of the parenthesis that closes the one before `at`, and the colons at its level."""
    depth, colons, quoted = 1, [], False
    while at < len(text):
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return at, colons
        elif c == ":" and depth == 1:
            colons.append(at)
        at += 1
    raise Malformed("an asm statement does not end")


def operands(text, function):
    out, at = [], 0
    while found := OPERAND.search(text, at):
        end, _ = closing(text, found.end())
        how = "op_both" if found[1].startswith("+") else function
        out.append("::cuemu::%s(%s)" % ("op_out" if how == "op_both" else how, text[found.end():end]))
        at = end
    return out


def asm_call(inner, colons):
    parts = [inner[a:b] for a, b in zip([0] + [c + 1 for c in colons], colons + [len(inner)])]
    parts += [""] * (4 - len(parts))
    lines = inner.count("\n")
    call = "::cuemu::ptx(%s, {%s}, {__FILE__, __LINE__})" % (
        parts[0].replace("\n", " "), ", ".join(operands(parts[1], "op_out") + operands(parts[2], "op_in")).replace("\n", " "))
    return call.replace("\\ ", " ") if "\\ " in call and lines else call, lines


def without_asm(text):
    out, at = [], 0
    while found := ASM.search(text, at):
        end, colons = closing(text, found.end())
        inner = text[found.end():end]
        call, lines = asm_call(inner, [c - found.end() for c in colons])
        out += [text[at:found.start()], call, ("\\\n" if "\\\n" in inner else "\n") * lines]
        at = end + 1
    return "".join(out) + text[at:]


RETURN = re.compile(r"\breturn\s*(?=;)")
MACRO_RETURN = re.compile(r"^(\s*#\s*define\b(?:.*\\\n)*.*\breturn)[ \t]*(;?[ \t]*)$", re.M)


def with_marked_returns(text):
    """A thread that returns from a kernel is not missed; one that comes to its end is. (In macros: any return.)"""
    out, at = [], 0
    while (found := text.find("__global__", at)) >= 0:
        begin = re.compile(r"[{;]").search(text, found)
        if not begin or begin[0] == ";":
            out.append(text[at:found + 10])
            at = found + 10
            continue
        end, _ = closing(text, begin.end())
        out += [text[at:begin.end()], RETURN.sub("return ::cuemu::leave_early()", text[begin.end():end])]
        at = end
    return MACRO_RETURN.sub(r"\1 ::cuemu::leave_early()\2", "".join(out) + text[at:])


def check_includes(text):
    for line in INCLUDE.findall(text):
        if not SUPPORTED.search(line):
            raise Malformed("not known to the emulation: %s" % line.strip())


DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


def to_cpp(fixture, number):
    """The fixture in a namespace of its own, and what runs its cases."""
    check_includes(fixture.text)
    text = INCLUDE.sub("", fixture.text)
    text = without_asm(text)
    text = with_marked_returns(text)
    text = without_launches(text)
    text = DYNAMIC.sub(r"\1\3*\4 = reinterpret_cast<\1\3*>(::cuemu::dynamic_shared());", text)
    text = re.sub(r"\bstatic\s+__shared__", "__shared__", text)
    cases = "\n".join("static void case_%d() { %s; }\nstatic const bool added_%d = "
                      "(::cuemu::add_case({\"%s\", \"%s\", case_%d}), true);"
                      % (i, run.call(), i, fixture.name, run.shape, i) for i, run in enumerate(fixture.runs))
    macros = "\n".join("#undef " + name for name in sorted(set(DEFINE.findall(fixture.text))))
    return 'namespace fixture_%d {\n#line 1 "%s"\n%s\n#line 1 "driver"\n%s\n}\n%s\n' % (
        number, fixture.path, text, cases, macros)


# --- building ---------------------------------------------------------------------------------------------------------

class Builder:
    """Keeps what it compiled, by the content of the sources."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = pathlib.Path(folder), compiler
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stamp = short_digest(compiler, digest_of_emulation(), plain("".join(p.read_text(encoding="utf-8")
                                                                                for p in headers.SHAPE_HEADERS)))

    def compile(self, arguments, target):
        """Empty when it worked, else what the compiler said."""
        if target.exists():
            return ""
        unfinished = target.with_suffix(".%d.tmp" % os.getpid())
        done = subprocess.run([self.compiler, *arguments, "-o", str(unfinished)], capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip() or "the compiler failed"
        unfinished.replace(target)
        return ""

    def must_compile(self, arguments, target):
        if said := self.compile(arguments, target):
            sys.exit("tests/emu does not compile:\n" + said)

    def prepare(self, pool):
        """The run time, without instrumentation, and the precompiled header."""
        base = self.folder / self.stamp
        base.mkdir(exist_ok=True)
        self.base = base
        header = base / "all.hpp.gch"
        jobs = [pool.submit(self.must_compile, [*DEVICE, "-I", str(HERE), "-x", "c++-header", str(HERE / "all.hpp")], header)]
        self.objects = []
        for name in RUNTIME:
            target = base / (name + ".o")
            self.objects.append(str(target))
            jobs.append(pool.submit(self.must_compile, [*COMMON, "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c",
                                                        str(HERE / name)], target))
        for job in jobs:
            job.result()

    def build(self, fixtures):
        """The program of these fixtures, and what went wrong."""
        rows = '#include "%s"\n' % headers.ROW_SHAPES if any(headers.is_wild(f.path) for f in fixtures) else ""
        text = '#include "all.hpp"\n' + rows + "".join(to_cpp(f, i) for i, f in enumerate(fixtures))
        name = "%s.%s.%s" % (fixtures[0].path.parent.name, fixtures[0].path.stem, hashlib.sha256(text.encode()).hexdigest()[:16])
        source, program = self.base / (name + ".cpp"), self.base / name
        if program.exists():
            return program, ""
        source.write_text(text, encoding="utf-8")
        # The precompiled header is found where its folder comes first.
        said = self.compile([*DEVICE, "-I", str(self.base), "-I", str(HERE), str(source), *self.objects], program)
        return program, said


# --- running ----------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Result:
    verdict: str
    text: str = ""
    seed: int = -1


def ways_to_run(command):
    """ThreadSanitizer of GCC 12 ends at once, or dies later, where the kernel scatters mappings more widely than it expects:
    so addresses are not randomised. Where that is not allowed, or did not help, the program runs as it is, and again."""
    return [["setarch", "-R", *command], command, command] if shutil.which("setarch") else [command] * 3


def run_program(program, fixture, seeds):
    """A kernel that crashes does so every time; anything else is the machine's fault, and is tried again."""
    for command in ways_to_run([str(program), fixture.name, str(seeds)]):
        result = run_once(command)
        if result.verdict not in ("crash", "failed"):
            break
    return result


def run_once(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_SECONDS)
    except subprocess.TimeoutExpired:
        return Result("hang", "no end within %d seconds" % PROCESS_SECONDS)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return Result("failed", "exit status %d: %s" % (done.returncode, (done.stderr + done.stdout).strip()[-500:]))
    return Result(report["verdict"], report["text"], report["seed"])


def judge_alone(builder, fixture, seeds):
    try:
        program, said = builder.build([fixture])
    except Malformed as e:
        return Result("failed", str(e))
    if said:
        return Result("failed", "does not compile:\n" + said)
    result = run_program(program, fixture, seeds)
    return Result("wrong", result.text) if result.verdict == "crash" else result


def run_in_batch(builder, program, fixture, seeds):
    """ThreadSanitizer of GCC 12 can die while it switches the history of a fiber, which hangs on where the program lies in
    memory: then the fixture gets a program of its own."""
    result = run_program(program, fixture, seeds)
    return judge_alone(builder, fixture, seeds) if result.verdict in ("crash", "failed") else result


def judge(builder, fixtures, seeds):
    """Compiles these fixtures together, which is quicker; one by one when that does not work."""
    try:
        program, said = builder.build(fixtures)
    except Malformed as e:
        said = str(e)
    if said:
        return [judge_alone(builder, f, seeds) for f in fixtures]
    return [run_in_batch(builder, program, f, seeds) for f in fixtures]


def collect(paths):
    for path in paths:
        path = pathlib.Path(path).resolve()
        yield from (sorted(path.rglob("*.cu")) if path.is_dir() else [path])


def load(paths):
    fixtures, broken = [], 0
    for path in collect(paths):
        try:
            fixtures.append(Fixture(path))
        except Malformed as e:
            print("%s: %s" % (path, e))
            broken += 1
    return fixtures, broken


# --- verdicts that were seen ------------------------------------------------------------------------------------------

LITERAL_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
DRIVER = re.compile(r"^(?:template <[^\n]*>\s+)?(?:inline )?void run_(\w+)\((?:[^\n]*\}$|.*?^\}$)", re.M | re.S)


def plain(text):
    """Without comments and layout."""
    return " ".join(LITERAL_OR_COMMENT.sub(lambda m: " " if m[0].startswith("/") else m[0], text).split())


def short_digest(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


class Shapes:
    """The drivers of the shapes, each by itself, and what all of them share."""

    def __init__(self, texts):
        text = LITERAL_OR_COMMENT.sub(lambda m: " " if m[0].startswith("/") else m[0], "\n".join(texts))
        text = re.sub(r"[ \t]+$", "", text, flags=re.M)
        self.drivers = {}
        for found in DRIVER.finditer(text):
            self.drivers[found[1]] = self.drivers.get(found[1], "") + plain(found[0])
        self.shared = plain(DRIVER.sub(" ", text))

    def of(self, shapes):
        """What the drivers of these shapes are made of: those that they call, too."""
        wanted, seen = [shape.replace("-", "_") for shape in shapes] + re.findall(r"\brun_(\w+)", self.shared), set()
        while wanted:
            name = wanted.pop()
            if name in self.drivers and name not in seen:
                seen.add(name)
                wanted += re.findall(r"\brun_(\w+)", self.drivers[name])
        return "\0".join([self.shared, *(self.drivers[name] for name in sorted(seen))])


SHAPES = Shapes([path.read_text(encoding="utf-8") for path in headers.SHAPE_HEADERS])


@functools.cache
def digest_of_emulation():
    return short_digest(*(plain((HERE / name).read_text(encoding="utf-8")) for name in RUNTIME + HEADERS), repr((COMMON, DEVICE)))


def read_records():
    """Verdict by name and digest of a fixture, and whether the emulation was this one."""
    if not RECORDS.exists():
        return {}, True
    with RECORDS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {(name, digest): verdict for name, digest, verdict in rows[1:]}, rows[0] == ["emulation", digest_of_emulation(), ""]


def write_records(results):
    with RECORDS.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["emulation", digest_of_emulation(), ""])
        out.writerows(sorted((f.name, f.digest, result.verdict) for f, result in results))


def must_run(fixture, records, one_of):
    verdict = records.get((fixture.name, fixture.digest))
    return verdict is None or not fixture.accepts(verdict) or int(fixture.digest, 16) % one_of == 0


def judge_surely(builder, fixtures, seeds):
    """What a fixture must not give counts when it gives it twice, the second time in a program of its own: a machine that is busy
    or short of memory is no verdict."""
    results = judge(builder, fixtures, seeds)
    return [result if fixture.accepts(result.verdict) else judge_alone(builder, fixture, seeds)
            for fixture, result in zip(fixtures, results)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build" / "emu"), help="folder for what is compiled")
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="show every verdict")
    parser.add_argument("--all", action="store_true", help="run what is in verdicts.csv, too")
    parser.add_argument("--record", action="store_true", help="run everything and write verdicts.csv")
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "fixtures"), str(HERE / "self")])
    options = parser.parse_args()
    begin = time.monotonic()
    fixtures, failed = load(options.paths)
    records, is_same = ({}, True) if options.all or options.record else read_records()
    if not is_same:
        print("the verdicts on record are of another emulation: run.py --record runs all and writes them anew")
    able = [f for f in fixtures if f.runs and not f.cannot]
    runnable = [f for f in able if must_run(f, records, ALWAYS if is_same else AFTER_CHANGES)]
    builder = Builder(options.build, options.cxx)
    counts, seen = {}, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        builder.prepare(pool)
        batches = [runnable[i:i + BATCH] for i in range(0, len(runnable), BATCH)]
        results = itertools.chain.from_iterable(pool.map(lambda b: judge_surely(builder, b, options.seeds), batches))
        for fixture, result in zip(runnable, results):
            counts[result.verdict] = counts.get(result.verdict, 0) + 1
            seen.append((fixture, result))
            good = fixture.accepts(result.verdict)
            failed += not good
            if options.verbose or not good:
                print("%s %s: %s (seed %d): %s" % ("ok  " if good else "BAD ", fixture.name, result.verdict, result.seed,
                                                   result.text), flush=True)
    for fixture in fixtures:
        if fixture.cannot and options.verbose:
            print("not  %s: %s" % (fixture.name, fixture.announced))
    if options.record and not failed:
        write_records(seen)
    print("%d of %d fixtures run in %.0f s (%s); %d say that they cannot be; %d failed"
          % (len(runnable), len(able), time.monotonic() - begin, ", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())),
             sum(f.cannot for f in fixtures), failed))
    return 1 if failed or not able else 0


if __name__ == "__main__":
    sys.exit(main())
