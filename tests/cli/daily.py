#!/usr/bin/env python3
"""The command line in daily use: commands that are mistyped, help, patterns of rules, the pager.

    daily.py --bin PATH
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402


def on_terminal(arguments, cwd, **env):
    """Runs the tool with its standard output at a terminal; returns the status and what the terminal got."""
    master, slave = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "PAGER", "LESS")}
    process = subprocess.Popen([run.OPTIONS.bin, *arguments], cwd=cwd, stdin=subprocess.DEVNULL, stdout=slave,
                               stderr=subprocess.PIPE, env={**variables, "LC_ALL": "C.UTF-8", "TERM": "xterm", **env})
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the last one has closed it
            break
        if not chunk:
            break
        seen += chunk
    process.stderr.read()
    process.stderr.close()
    os.close(master)
    return process.wait(timeout=60), seen.decode().replace("\r\n", "\n")


class Commands(run.Case):
    def test_a_mistyped_command_is_no_path(self):
        self.check_usage_error("'explian' is not a command, and no such file exists; did you mean 'explain'?",
                               "explian", "divergent-barrier")
        self.check_usage_error("did you mean 'explain'?", "explian", "--no-pager", "all")  # an option of the other command
        self.check_usage_error("did you mean 'doctor'?", "-q", "docter")
        self.check_usage_error("did you mean '--fix'?", "fix")
        self.check_usage_error("'frobnicate' is not a command, and no such file exists; 'cuwarp-lint help' lists",
                               "frobnicate")

    def test_names_that_other_programs_use(self):
        for word, command in (("lint", "check"), ("run", "check"), ("list-rules", "rules"), ("server", "lsp")):
            self.check_usage_error("did you mean '%s'?" % command, word, "src")
        for option, hint in (("--json", "'--output json'?"), ("--sarif", "'--output sarif'?"),
                             ("--list-rules", "'cuwarp-lint rules'?"), ("--lsp", "'cuwarp-lint lsp'?"),
                             ("--checks=x", "'--select'?"), ("--stats", "'--statistics'?"), ("--threads=4", "'--jobs'?"),
                             ("--gpu-architecture=sm_80", "'--arch'?"), ("-arch=sm_80", "'--arch'?"),
                             ("-gencode=arch=compute_80,code=sm_80", "'--arch'?")):
            self.check_usage_error("did you mean " + hint, option, "src")
        self.check_usage_error("it is a key of .cuwarp-lint.yaml: --config exclude=VALUE", "--exclude=src", "src")
        for option in ("-O3", "-Wall", "-Xcompiler"):
            self.check_usage_error("unknown option '%s'; options of a compiler stand at the end, after '--'" % option, option, "src")
        self.put("a.cu", run.WIDTH)
        self.check_status(1, "a.cu", "--", "-O3", "-Wall")
        self.check_status(0, ".", "--config", "exclude=[a.cu]")

    def test_a_path_is_a_path(self):
        self.put("explian/a.cu", run.WIDTH)
        self.check_status(1, "explian")
        self.check_status(3, "missing.cu")
        self.check_status(3, "missing/")
        self.check_status(3, "check", "explan")  # the command is there: this is a path

    def test_help_and_version(self):
        text = self.check_status(0, "help").stdout
        self.assertEqual(text, self.check_status(0, "--help").stdout)
        self.assertEqual(self.check_status(0, "help", "explain").stdout, self.check_status(0, "explain", "-h").stdout)
        for word in ("explain", "init", "help", "version"):
            self.assertRegex(text.decode(), r"(?m)^  %s +\S" % word)
        self.check_usage_error("'explan' is not a command; did you mean 'explain'?", "help", "explan")
        self.check_usage_error("is a rule; see 'cuwarp-lint explain bad-shuffle-width'", "help", "bad-shuffle-width")
        version = self.check_status(0, "--version").stdout
        self.assertEqual(self.check_status(0, "-V").stdout, version)
        self.assertEqual(self.check_status(0, "version").stdout, version)


class Selection(run.Case):
    """Rules by pattern and category."""

    def selected(self, *arguments):
        text = self.check_status(0, "--show-settings", *arguments).stdout.decode()
        return set(" ".join(line[1:] for line in text.split("# rules:", 1)[1].splitlines()).split()) | {
            text.split("# rules:", 1)[1].split()[0]}

    def names(self, *arguments):
        return [r["rule"] for r in json.loads(self.check_status(0, *arguments, "--output", "json").stdout)]

    def test_patterns(self):
        self.put("a.cu", run.WIDTH)
        found = self.selected("--select", "divergent-*,bad-shuffle-width", "a.cu")
        self.assertIn("divergent-barrier", found)
        self.assertIn("bad-shuffle-width", found)
        self.assertFalse([r for r in found if not r.startswith("divergent-") and r != "bad-shuffle-width"])
        self.assertNotIn("divergent-barrier", self.selected("--ignore", "divergent-*", "a.cu"))
        self.check_status(0, "--ignore", "*-width", "a.cu")
        self.check_status(1, "--ignore", "mask-*", "a.cu")
        self.check_usage_error("no rule is called 'divergnt-*'", "--select", "divergnt-*", "a.cu")
        self.put(".cuwarp-lint.yaml", 'severity: {"bad-*": info}\n')
        self.assertEqual(self.report("a.cu")["findings"][0]["severity"], "info")

    def test_categories(self):
        rules = json.loads(self.check_status(0, "rules", "--output", "json").stdout)
        masks = [r["rule"] for r in rules if r["category"] == "mask"]
        self.assertEqual(self.names("rules", "mask"), masks)
        self.assertEqual(self.names("explain", "mask"), masks)
        self.assertEqual(self.names("explain", "divergent-barrier", "mask"),
                         [r["rule"] for r in rules if r["category"] == "mask" or r["rule"] == "divergent-barrier"])
        self.check_usage_error("unknown category 'maks'; did you mean 'mask'?", "rules", "maks")
        table = self.check_status(0, "rules").stdout.decode().splitlines()
        self.assertEqual(len({re.search(" (error|warning|info) ", line).start() for line in table}), 1, "columns")
        self.check_usage_error("rules takes categories; see 'cuwarp-lint explain divergent-barrier'", "rules",
                               "divergent-barrier")


class Init(run.Case):
    """The first configuration, from what a project says of itself."""

    def setUp(self):
        super().setUp()
        self.put("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 75 80-real;90a-virtual \"${MORE}\")\n")
        self.put("setup.py", "flags = ['-gencode', 'arch=compute_70,code=sm_70']\nos.environ['TORCH_CUDA_ARCH_LIST'] = '8.6+PTX'\n")
        self.put("src/a.cu", run.CLEAN)
        self.put("third_party/lib/b.cu", run.WIDTH)
        self.put("third_party/lib/CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 100)\n")
        self.put("vendor/text.md", "no code\n")
        self.put("src/hip/c.cu", run.WIDTH)
        self.put("build/compile_commands.json", "[]")

    def settings(self):
        return self.check_status(0, "--show-settings").stdout.decode()

    def test_what_was_seen_is_written(self):
        done = self.check_status(0, "init")
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"wrote .cuwarp-lint.yaml: 1 CUDA source, 5 architectures, 2 folders left out", done.stderr)
        text = (self.dir / ".cuwarp-lint.yaml").read_text()
        self.assertIn("build/compile_commands.json was found", text)
        settings = self.settings()
        self.assertRegex(settings, r"(?m)^arch: sm_70,sm_75,sm_80,sm_86,sm_90 ")
        self.assertEqual(self.check_status(0, "--show-files").stdout, b"src/a.cu\n")
        self.assertNotIn("build:", settings)  # not in every checkout
        self.check_status(0)

    def test_every_commented_key_can_be_switched_on(self):
        text = self.check_status(0, "init", "--stdout").stdout.decode()
        switched = set()
        for line in text.splitlines():
            key = line[2:].split(":")[0] if line.startswith("# ") and ": " in line else ""
            if key in ("ignore", "severity", "possible", "block"):
                self.put("one.yaml", line[2:] + "\n")
                self.check_status(0, "--config", "one.yaml", "src/a.cu")
                switched.add(key)
        self.assertEqual(switched, {"ignore", "severity", "possible", "block"})

    def test_nothing_is_overwritten(self):
        self.assertFalse((self.dir / ".cuwarp-lint.yaml").exists())
        self.check_status(0, "init", "--stdout")
        self.assertFalse((self.dir / ".cuwarp-lint.yaml").exists())
        for name in (".cuwarp-lint.yml", ".cuwarp-lint.yaml"):
            self.put(name, "possible: true\n")
            self.check_usage_error("%s exists and is left as it is" % name, "init")
            self.assertEqual((self.dir / name).read_text(), "possible: true\n")
        self.assertTrue(self.check_status(0, "init", "--stdout").stdout.startswith(b"# Settings"))
        self.check_usage_error("init takes no operands", "init", "src")


class Configuration(run.Case):
    def test_yml_is_read(self):
        self.put("a.cu", run.WIDTH)
        self.put(".cuwarp-lint.yml", "severity: {mask: info}\n")
        self.assertEqual([f["severity"] for f in self.report("a.cu")["findings"]], ["info"])
        self.put(".cuwarp-lint.yaml", "severity: {mask: warning}\n")
        done = self.lint("a.cu", "--output", "json")
        self.assertEqual([f["severity"] for f in json.loads(done.stdout)["findings"]], ["warning"])
        self.assertEqual(done.stderr.decode().count(".cuwarp-lint.yml is not read: .cuwarp-lint.yaml lies beside it"), 1)

    def test_files_of_other_names_are_pointed_out(self):
        self.put("sub/a.cu", run.CLEAN)
        self.put("sub/b.cu", run.CLEAN)
        self.put("cuwarp-lint.toml", "possible = true\n")
        self.put("pyproject.toml", "[tool.cuwarp-lint]\npossible = true\n")
        said = self.check_status(0, "sub").stderr.decode()
        self.assertEqual(said.count("cuwarp-lint.toml is not read; settings are read from .cuwarp-lint.yaml"), 1)
        self.assertEqual(said.count("pyproject.toml: [tool.cuwarp-lint] is not read"), 1)
        self.assertNotIn("not read", self.check_status(0, "sub", "--isolated").stderr.decode())
        self.put("pyproject.toml", "[tool.other]\n")
        (self.dir / "cuwarp-lint.toml").unlink()
        self.assertNotIn("not read", self.check_status(0, "sub").stderr.decode())

    def test_jobs(self):
        self.put("a.cu", run.CLEAN)
        self.put(".cuwarp-lint.yaml", "jobs: 3\neffort: quick\n")
        text = self.check_status(0, "--show-settings", "a.cu").stdout.decode()
        self.assertRegex(text, r"(?m)^jobs: 3 +# \.cuwarp-lint\.yaml:1:7$")
        self.assertRegex(text, r"(?m)^effort: quick ")
        self.put(".cuwarp-lint.yaml", "overrides: [{paths: a.cu, jobs: 3}]\n")
        self.check_usage_error("'jobs' cannot differ from file to file", "a.cu")

    def test_hints_for_comments(self):
        def review(comment):
            self.put("a.cu", run.WIDTH.replace("24);", "24); // " + comment))
            return [(f["rule"], f["message"], f.get("help", "")) for f in self.report("a.cu")["findings"]
                    if f["rule"] != "bad-shuffle-width"]

        (rule, message, _), = review("cuwarp-lint: ignore[mask] -- old")
        self.assertEqual((rule, message), ("misused-directive", "directives begin with 'cuwarp:': write 'cuwarp: ignore'"))
        self.assertEqual(review("cuwarp-lint: see the docs"), [])
        for other in ("disable=mask", "disable-next-line mask", "nolint", "noqa: mask", "allow(mask)"):
            (rule, message, _), = review("cuwarp-lint: " + other)
            self.assertEqual((rule, message), ("misused-directive", "directives begin with 'cuwarp:': write 'cuwarp: ignore'"))
            (rule, message, _), = review("cuwarp: " + other)
            self.assertRegex(message, "^unknown directive '.*'; did you mean 'ignore'\\?$")
        (rule, message, help_), = review("NOLINT(bad-shuffle-width, bugprone-x)")
        self.assertEqual((rule, help_), ("misused-directive", "write 'NOLINT(cuwarp-bad-shuffle-width)'"))
        self.assertIn("names of this program begin with 'cuwarp-'", message)
        self.assertEqual(review("NOLINT(bugprone-x)"), [])
        (rule, _, help_), = review("cuwarp: ignore[all] -- old")
        self.assertEqual(rule, "unknown-rule")
        self.assertIn("name the rules or categories", help_)


class Architectures(run.Case):
    def fake(self, name, text, status=0):
        path = self.dir / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n" % (text, status))
        path.chmod(0o755)

    def native(self, status, *arguments):
        self.put("a.cu", run.CLEAN)
        done = self.lint("--arch", "native", "--show-settings", "a.cu", *arguments,
                         PATH="%s:/usr/bin:/bin" % (self.dir / "bin"))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr.decode()

    def test_unknown_ones_are_refused(self):
        self.put("a.cu", run.CLEAN)
        self.check_usage_error("there is no sm_999; known are sm_20,", "--arch", "sm_75,sm_999", "a.cu")
        self.put(".cuwarp-lint.yaml", "arch: [sm_74]\n")
        self.check_usage_error("arch: there is no sm_74", "a.cu")
        self.put(".cuwarp-lint.yaml", "arch: native\n")
        self.check_usage_error("only the command line may say it", "a.cu")

    def test_native(self):
        self.fake("nvidia-smi", "9.0\n7.5\n9.0")
        self.fake("nvcc", "#$ cicc -arch sm_80")
        self.assertEqual(self.native(0).count("--arch native: sm_90,sm_75, as nvidia-smi says"), 1)
        self.fake("nvidia-smi", "9.0", status=9)
        self.assertIn("--arch native: sm_80, as nvcc says", self.native(0))
        self.fake("nvcc", "nvcc warning : Cannot find valid GPU for '-arch=native', default arch is used\n#$ -arch sm_75")
        self.assertIn("native: neither nvidia-smi nor nvcc tells of a GPU", self.native(2))


class Schema(run.Case):
    """docs/cuwarp-lint.schema.json is what the program generates, and it agrees with the reader."""

    def setUp(self):
        super().setUp()
        try:
            import jsonschema
            import yaml
        except ImportError as error:
            if os.environ.get("CUWARP_NEED_ALL"):
                raise
            self.skipTest(str(error))
        self.yaml = yaml
        self.schema = json.loads(self.check_status(0, "--generate", "schema").stdout)
        jsonschema.Draft7Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft7Validator(self.schema)
        self.put("a.cu", run.CLEAN)
        self.put("more.yaml", "{}\n")

    def test_published(self):
        published = json.loads((run.ROOT / "docs/cuwarp-lint.schema.json").read_text())
        self.assertEqual(published, self.schema, "cuwarp-lint --generate schema > docs/cuwarp-lint.schema.json")

    def agree(self, text):
        """Whether both accept it; the reader has the last word on values."""
        self.put("one.yaml", text)
        reads = self.lint("--config", "one.yaml", "--show-settings", "a.cu").returncode == 0
        valid = self.validator.is_valid(self.yaml.safe_load(text))
        return reads, valid

    def test_documented_examples(self):
        found = 0
        for page in sorted(list((run.ROOT / "docs").rglob("*.md")) + [run.ROOT / "README.md"]):
            for title, text in re.findall(r'```yaml title="([^"]*)"\n(.*?)```', page.read_text(), re.S):
                if not title.startswith(".cuwarp-lint."):
                    continue
                found += 1
                errors = [e.message for e in self.validator.iter_errors(self.yaml.safe_load(text))]
                self.assertEqual(errors, [], "%s: %s" % (page, text))
        self.assertGreater(found, 0)

    def test_the_reader_agrees(self):
        good = ["{}", "possible: true", "arch: [75, sm_90]", "arch: sm_80,sm_90", "block: 256", "block: [32, 8]",
                "select: [mask, 'bad-*']", "ignore: race", "severity: {mask: warning, 'divergent-*': info}", "jobs: 2",
                "effort: quick", "output: json", "extend: more.yaml", "exclude: ['a/', b]",
                "overrides: [{paths: '*.cu', ignore: [race], block: 64}]", "define: [N=1]", "std: c++17", "fail-on: info"]
        bad = ["ignroe: [race]", "possible: 1", "possible: yes please", "jobs: 0", "effort: much", "fail-on: never",
               "output: xml", "severity: {mask: fatal}", "severity: mask", "overrides: [{ignore: [race]}]",
               "overrides: [{paths: a, jobs: 2}]", "select: [no-such-rule]", "overrides: {paths: a}"]
        for text in good:
            self.assertEqual(self.agree(text), (True, True), text)
        for text in bad:
            self.assertEqual(self.agree(text), (False, False), text)


class Output(run.Case):
    def setUp(self):
        super().setUp()
        self.put("bad.cu", run.WIDTH)

    def test_usual_names_of_options(self):
        for option in ("-o", "--format", "--output-file"):
            self.check_usage_error("did you mean '--output'?", option, "json", "bad.cu")

    def test_quiet_has_no_notes(self):
        self.put("a.cu", run.BARRIER)
        self.assertIn("note:", self.check_status(1, "a.cu").stdout.decode())
        text = self.check_status(1, "a.cu", "-q").stdout.decode()
        self.assertIn("[divergent-barrier]", text)
        self.assertNotIn("note:", text)
        self.assertIn("help:", text)

    def test_status_of_findings_and_unreadable_files(self):
        """Findings win over a file that cannot be analysed; a usage error wins over both."""
        self.put("clean.cu", run.CLEAN)
        self.check_status(3, "clean.cu", "missing.cu")
        self.check_status(1, "bad.cu", "missing.cu")
        self.check_status(3, "bad.cu", "missing.cu", "--severity", "mask=info")
        self.check_status(0, "bad.cu", "missing.cu", "--exit-zero")
        self.check_status(2, "bad.cu", "missing.cu", "--fail-on", "never")

    def test_one_file_for_one_report(self):
        for other in ("out.json", "./out.json", "sub/../out.json"):
            (self.dir / "sub").mkdir(exist_ok=True)
            self.check_usage_error("json and sarif cannot both go to", "bad.cu", "--output", "json:out.json", "--output",
                                   "sarif:" + other)
        self.put("out.json", "")
        self.check_usage_error("cannot both go to", "bad.cu", "--output", "json:out.json", "--output", "sarif:./out.json")
        self.check_status(1, "bad.cu", "--output", "json:/dev/null", "--output", "sarif:/dev/null")
        self.check_status(1, "bad.cu", "--output", "json:a.json", "--output", "sarif:b.json")
        self.check_usage_error("a report would replace a file that was analysed", "bad.cu", "--output", "json:bad.cu")
        self.assertEqual((self.dir / "bad.cu").read_text(), run.WIDTH)

    def test_links(self):
        """To the file, and to the rule's page where that is known; on a terminal with colours only."""
        docs = ("--docs-url", "https://host/docs/")
        rule = "\x1b]8;;https://host/docs/rules/bad-shuffle-width/\x1b\\bad-shuffle-width\x1b]8;;\x1b\\"
        text = on_terminal(["bad.cu", *docs], self.dir)[1]
        self.assertIn("\x1b]8;;file://%s\x1b\\bad.cu:3:10:\x1b]8;;\x1b\\" % (self.dir / "bad.cu").resolve(), text)
        self.assertIn(rule, text)
        self.assertIn("   see: https://host/docs/rules/bad-shuffle-width/\n", text)
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b]8", on_terminal(["bad.cu", *docs], self.dir, **environment)[1])
        piped = self.lint("bad.cu", *docs, "--color=always").stdout.decode()
        self.assertNotIn("\x1b]8", piped)
        self.assertIn("see: https://host/docs/rules/bad-shuffle-width/", piped)
        self.assertNotIn("see:", self.lint("bad.cu").stdout.decode())

    def test_elements_before_a_pointer(self):
        """They are named by their index; no address is a negative number of bytes."""
        self.put("g.cu", "__global__ void k(int *o, int *g) {\n    g[(int)threadIdx.x - 40] = 1;\n"
                 "    o[threadIdx.x] = g[(int)threadIdx.x - 41];\n}\nvoid run(int *o, int *g) { k<<<1, 256>>>(o, g); }\n")
        text = self.check_status(1, "g.cu").stdout.decode()
        self.assertIn("data race on g[-9] between threads 31 and 32", text)
        self.assertNotIn("byte -", text)

    PICTURE = """__global__ void k(int *p) {
    if (threadIdx.x %s)
        __syncthreads();
    p[threadIdx.x] = 1;
}
"""

    def test_the_picture_is_of_the_warp_that_diverges(self):
        self.put("p.cu", self.PICTURE % ">= 200" + "void run(int *p) { k<<<1, 256>>>(p); }\n")
        text = self.check_status(1, "p.cu").stdout.decode()
        self.assertIn("   with block (256,1,1), grid (1,1,1) (launch at p.cu:6), warp 6\n"
                      "   arrive    ········████████████████████████   (56 of 256 threads of the block reach it)\n"
                      "   elsewhere ████████························   (200 of 256 threads of the block take another path)\n", text)
        self.put("p.cu", self.PICTURE % "< 64" + "void run(int *p) { k<<<1, 96>>>(p); }\n")  # whole warps: a row of them
        text = self.check_status(1, "p.cu").stdout.decode()
        self.assertRegex(text, "   arrive    ██·   \\(64 of 96 threads of the block reach it\\)\n")

    def test_a_guessed_launch_says_so(self):
        self.put("g.cu", self.PICTURE % "< 16")
        self.assertIn("(assumed: no launch found)", self.check_status(1, "g.cu").stdout.decode())
        self.put("g.cu", self.PICTURE % "< 16" + "void run(int *p) { k<<<1, 32>>>(p); }\n")
        self.assertNotIn("assumed", self.check_status(1, "g.cu").stdout.decode())
        self.put("g.cu", self.PICTURE % "< 16" + "int size();\nvoid run(int *p) { k<<<1, size()>>>(p); }\n")
        self.assertIn("(assumed: the launch's block is not known)", self.check_status(1, "g.cu").stdout.decode())

    def test_clipped_lines_say_so(self):
        call = "v += __shfl_down_sync(0xffffffffu, v, 1, 24);"
        self.put("wide.cu", "__global__ void w(int *o) { int v = threadIdx.x; /*" + "x" * 150 + "*/" + call + "/*" + "y" * 150 +
                 "*/ o[threadIdx.x] = v; }\n")
        line = next(l for l in self.lint("wide.cu").stdout.decode().splitlines() if call in l)
        self.assertRegex(line, "^ +1 \\| \u2026x+\\*/.*y\u2026$")
        plain = self.lint("wide.cu", LC_ALL="C").stdout.decode()
        line = next(l for l in plain.splitlines() if call in l)
        self.assertRegex(line, r"^ +1 \| \.\.\.x+\*/.*y\.\.\.$")
        self.assertNotIn("\u2026", self.lint("bad.cu").stdout.decode())


class Fixes(run.Case):
    """A barrier that a fix inserts is written as the function around it writes barriers."""

    KERNEL = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const int *in, int *out) {
    __shared__ int s[96];
%s
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[95 - threadIdx.x];
}
void run(const int *in, int *out) { k<<<1, 96>>>(in, out); }
"""
    GROUP = "    cg::thread_block block = cg::this_thread_block();\n    block.sync();"

    def inserted(self, begin):
        self.put("a.cu", self.KERNEL % begin)
        text = self.check_status(1, "--diff", "a.cu").stdout.decode()
        self.help, = [f["help"] for f in self.report("a.cu")["findings"]]
        return [line[1:] for line in text.splitlines() if line.startswith("+") and not line.startswith("+++")]

    def test_the_idiom_in_scope(self):
        self.assertEqual(self.inserted(self.GROUP), ["    block.sync();"])
        self.assertEqual(self.help, "insert block.sync() before line 8")
        self.assertEqual(self.inserted("    { %s }" % self.GROUP.strip().replace("\n", " ")), ["    __syncthreads();"])
        self.assertEqual(self.inserted("    __syncthreads();"), ["    __syncthreads();"])
        self.assertEqual(self.help, "insert __syncthreads() before line 7")


class Watch(run.Case):
    """A change is followed by a new run; Ctrl-C ends with the last status."""

    def begin(self, *arguments):
        process = subprocess.Popen([run.OPTIONS.bin, "--watch", "--no-cache", "--output", "concise", *arguments], cwd=self.dir,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_round(self, process):
        """What is said until it waits again."""
        text, end = "", time.monotonic() + 30
        while "Ctrl-C ends\n" not in text:
            self.assertLess(time.monotonic(), end, text)
            if select.select([process.stdout], [], [], 1)[0]:
                chunk = os.read(process.stdout.fileno(), 65536).decode()
                self.assertTrue(chunk, text)
                text += chunk
        return text

    def end(self, process, status):
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), status)

    def test_changes(self):
        subprocess.run(["git", "init", "-q", str(self.dir)], check=True)
        self.put("src/a.cu", '#include "../include/h.cuh"\n' + run.CLEAN)
        self.put("include/h.cuh", "#pragma once\n")
        process = self.begin("src")
        self.assertNotIn("[bad-shuffle-width]", self.read_round(process))
        self.put("src/b.cu", run.WIDTH)
        text = self.read_round(process)
        self.assertIn("src/b.cu changed\n", text)
        self.assertIn("src/b.cu:3:", text)
        self.put("src/notes.txt", "nothing\n")  # not an input
        self.put("src/b.cu", run.CLEAN)
        self.assertNotIn("[bad-shuffle-width]", self.read_round(process))
        self.put("include/h.cuh", "#pragma once\n" + run.WIDTH)  # outside of the folder that is linted
        self.assertIn("include/h.cuh:4:", self.read_round(process))
        self.put(".cuwarp-lint.yaml", "ignore: mask\n")
        self.assertNotIn("[bad-shuffle-width]", self.read_round(process))
        self.put("src/new/c.cu", run.BARRIER)
        text = self.read_round(process)
        if "[divergent-barrier]" not in text:  # the folder was seen before its file
            self.assertIn("src/new/c.cu:", self.read_round(process))
        self.end(process, 1)

    def test_the_last_status_counts(self):
        self.put("a.cu", run.WIDTH)
        process = self.begin("a.cu")
        self.assertIn("a.cu:3:", self.read_round(process))
        self.put("a.cu", run.CLEAN)
        self.read_round(process)
        self.end(process, 0)

    def test_what_cannot_be_watched(self):
        self.put("a.cu", run.CLEAN)
        self.check_usage_error("--watch and --fix contradict each other", "--watch", "--fix", "a.cu")
        self.check_usage_error("standard input cannot be watched", "--watch", "-")
        self.check_usage_error("unknown rule", "--watch", "--select", "nonsense-rule", "a.cu")


class Pager(run.Case):
    def test_a_pager_on_a_terminal(self):
        (self.dir / "bin").mkdir()
        pager = self.dir / "bin/pager"
        pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
        pager.chmod(0o755)
        status, text = on_terminal(["explain", "bad-shuffle-width"], self.dir, PAGER=str(pager))
        self.assertEqual(status, 0)
        self.assertTrue(text.startswith("PAGED\n"), text)
        self.assertIn("\x1b[1mbad-shuffle-width\x1b[0m", text)
        self.assertNotIn("```", text)
        status, text = on_terminal(["explain", "bad-shuffle-width", "--no-pager"], self.dir, PAGER=str(pager))
        self.assertNotIn("PAGED", text)
        self.assertIn("\x1b[1mbad-shuffle-width", text)
        plain = on_terminal(["explain", "bad-shuffle-width"], self.dir, PAGER="no-such-pager", NO_COLOR="1")[1]
        self.assertIn("bad-shuffle-width\n", plain)  # printed all the same
        self.assertNotIn("\x1b", plain)
        self.assertIn("# bad-shuffle-width", on_terminal(["explain", "bad-shuffle-width"], self.dir, TERM="dumb",
                                                         PAGER=str(pager))[1])
        piped = self.lint("explain", "bad-shuffle-width", PAGER=str(pager)).stdout.decode()
        self.assertNotIn("PAGED", piped)
        self.assertTrue(piped.startswith("# bad-shuffle-width\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    run.OPTIONS, rest = parser.parse_known_args(namespace=run.OPTIONS)
    run.OPTIONS.bin = os.path.abspath(run.OPTIONS.bin)
    unittest.main(argv=[sys.argv[0], *rest])
