#!/usr/bin/env python3
"""Output formats: goldens of a made-up report, the SARIF schema, well-formedness, and what a run of the tool writes.

    run.py --sample EMIT_SAMPLE --bin TOOL      UPDATE_SNAPSHOTS=1 in the environment rewrites the goldens
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "fixtures"
OPTIONS = argparse.Namespace(sample=None, bin=None)
EXTENSIONS = {"json": "json", "sarif": "json", "gitlab": "json", "rdjson": "json", "jsonl": "jsonl", "junit": "xml",
              "checkstyle": "xml", "html": "html"}

# Two characters outside ASCII before the barrier: 3 + 4 bytes, 1 + 2 UTF-16 code units.
BARRIER = """__global__ void barrier(int *out) {
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        /* \u4e2d\U0001f600 */ __syncthreads();
    }
    out[threadIdx.x] = s[127 - threadIdx.x];
}
void run(int *out) { barrier<<<1, 128>>>(out); }
"""


def sample(name):
    """In a folder that no repository holds: paths in reports are those below a repository's root."""
    return subprocess.run([OPTIONS.sample, name], check=True, capture_output=True, cwd="/").stdout


def formats():
    return sample("--list").decode().split()


def sarif_validator():
    try:
        import jsonschema
    except ImportError:
        if os.environ.get("CUWARP_NEED_ALL"):
            raise
        raise unittest.SkipTest("jsonschema is not installed (Debian: python3-jsonschema)") from None
    return jsonschema.Draft4Validator(sarif_schema())


def sarif_schema():
    """The schema of 2.1.0-rtm.4, with what the standard changed until its first errata where that matters to a check."""
    schema = json.loads((HERE / "sarif-2.1.0-rtm.4.json").read_text(encoding="utf-8"))
    definitions = schema["definitions"]
    suppression = definitions["suppression"]["properties"]
    suppression["status"] = suppression.pop("state")
    definitions["region"]["anyOf"] = [{"required": [key]} for key in ("startLine", "charOffset", "byteOffset")]
    return schema


class Goldens(unittest.TestCase):
    maxDiff = None

    def test_each_format(self):
        self.assertGreaterEqual(len(formats()), 10)
        for name in formats():
            with self.subTest(format=name):
                golden = HERE / "goldens" / (name + "." + EXTENSIONS.get(name, "txt"))
                # The page's style and script are files of the project already.
                actual = re.sub(rb"(<(style|script) nonce=[^>]*>).*?(</\2>)", rb"\1\3", sample(name), flags=re.S)
                if os.environ.get("UPDATE_SNAPSHOTS") == "1":
                    golden.parent.mkdir(exist_ok=True)
                    golden.write_bytes(actual)
                self.assertEqual(golden.read_bytes().decode(), actual.decode())

    def test_all_are_utf8_without_controls(self):
        for name in formats():
            with self.subTest(format=name):
                text = sample(name).decode("utf-8")
                self.assertEqual(re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", text), [])


def shape_of(value, path=""):
    """The keys of a JSON value by their paths, with the types they have: ("findings[].line", "number")."""
    if isinstance(value, dict):
        yield path or ".", "object"
        for key, item in value.items():
            yield from shape_of(item, path + "." + key if path else key)
    elif isinstance(value, list):
        yield path, "array"
        for item in value:
            yield from shape_of(item, path + "[]")
    else:
        kinds = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}
        yield path, kinds[type(value)]


class JsonShape(unittest.TestCase):
    """`--output json` is a contract from the first release: keys are added, never renamed, and keep their types."""

    def shape(self, report):
        lines = {}
        for path, kind in shape_of(report):
            lines.setdefault(path, set()).add(kind)
        return ["%s: %s" % (path, " or ".join(sorted(kinds))) for path, kinds in sorted(lines.items())]

    def test_sample(self):
        golden = HERE / "goldens" / "json.shape"
        shape = self.shape(json.loads(sample("json")))
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            golden.write_text("\n".join(shape) + "\n", encoding="utf-8")
        expected = golden.read_text(encoding="utf-8").splitlines()
        self.assertEqual(sorted(set(expected) - set(shape)), [], "gone or renamed: this breaks programs that read the report")
        self.assertEqual(shape, expected, "new keys: rewrite the golden with UPDATE_SNAPSHOTS=1, and docs/usage/outputs.md")

    def test_real_runs_have_no_other_shape(self):
        known = {}
        for line in (HERE / "goldens" / "json.shape").read_text(encoding="utf-8").splitlines():
            path, kinds = line.split(": ")
            known[path] = set(kinds.split(" or "))
        folders = ("divergent-barrier", "syncwarp-loop-race", "caller-not-in-mask", "intra-warp-spin")
        report = json.loads(tool("--possible", "--output=json", *(FIXTURES / f for f in folders)).stdout)
        self.assertGreater(len(report["findings"]), 20)
        for path, kind in shape_of(report):
            self.assertTrue(path in known, "%s is not in json.shape" % path)
            self.assertTrue(kind in known[path] or kind == "null", "%s is a %s" % (path, kind))

    def test_json_lines_hold_the_same_findings(self):
        report = json.loads(sample("json"))
        lines = [json.loads(line) for line in sample("jsonl").splitlines()]
        self.assertEqual(lines[:-1], report["findings"])
        self.assertEqual(lines[-1], {key: report[key] for key in ("version", "tool", "coverage")})


class Sarif(unittest.TestCase):
    def validate(self, log):
        self.assertEqual(["%s: %s" % (list(e.path), e.message[:200]) for e in sarif_validator().iter_errors(log)], [])

    def check_references(self, log):
        """What the schema cannot say."""
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(len({r["id"] for r in rules}), len(rules))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        silenced = ["suppressions" in r for r in run["results"]]
        self.assertIn(sum(silenced), (0, len(silenced)))
        for region in self.regions(log):
            start = (region["startLine"], region.get("startColumn", 1))
            self.assertLessEqual(start, (region["endLine"], region.get("endColumn", 1 << 30)))

    def test_help_uris(self):
        """Each rule has a link when it is known where the documentation is published."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cu").write_text(
                "__global__ void k(int *o) { o[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x, 1, 24); }\n")
            for url in ("https://host/docs", "https://host/docs/"):
                log = json.loads(tool("--docs-url", url, "--output", "sarif", "a.cu", cwd=folder).stdout)
                self.validate(log)
                rules = log["runs"][0]["tool"]["driver"]["rules"]
                self.assertEqual([r["id"] for r in rules], ["bad-shuffle-width"])  # those of the results
                self.assertEqual({r["helpUri"] for r in rules}, {f"https://host/docs/rules/{r['id']}/" for r in rules})
            self.assertNotIn(b"helpUri", tool("--output", "sarif", "a.cu", cwd=folder).stdout)

    def regions(self, node):
        if isinstance(node, list):
            for item in node:
                yield from self.regions(item)
        elif isinstance(node, dict):
            for key, value in node.items():
                if key in ("region", "contextRegion", "deletedRegion"):
                    yield value
                yield from self.regions(value)

    def test_the_schema_finds_faults(self):
        validator = sarif_validator()
        good = json.loads(sample("sarif"))
        for damage in (lambda run: run.pop("tool"), lambda run: run["results"][0].update(level="fatal"),
                       lambda run: run["results"][0].pop("message"), lambda run: run.update(columnKind="bytes"),
                       lambda run: run["results"][0]["locations"][0]["physicalLocation"].update(region={"endLine": 3}),
                       lambda run: run["results"][0].update(unheard_of=1)):
            log = json.loads(json.dumps(good))
            damage(log["runs"][0])
            self.assertFalse(validator.is_valid(log))

    def test_sample_is_valid(self):
        log = json.loads(sample("sarif"))
        self.validate(log)
        self.check_references(log)

    def test_flow_leads_from_the_source_to_the_barrier(self):
        result = json.loads(sample("sarif"))["runs"][0]["results"][2]
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        self.assertEqual([s["location"]["physicalLocation"]["region"]["startLine"] for s in steps], [3, 4, 5])
        self.assertEqual(steps[0]["location"]["message"]["text"], "threadIdx.x differs between threads")
        self.assertEqual([r["physicalLocation"]["region"]["startLine"] for r in result["relatedLocations"]], [6])

    def test_findings_of_all_rules_are_valid(self):
        """One bad fixture of each rule, with everything switched on."""
        files = [sorted(d.glob("bad_*.cu"))[0] for d in sorted(FIXTURES.iterdir()) if list(d.glob("bad_*.cu"))]
        log = json.loads(tool("--select=all", "--preview", "--possible", "--output=sarif", *files).stdout)
        self.validate(log)
        self.check_references(log)
        self.assertGreater(len({r["ruleId"] for r in log["runs"][0]["results"]}), 30)
        self.assertTrue(any("codeFlows" in r for r in log["runs"][0]["results"]))


class Xml(unittest.TestCase):
    def test_junit_counts(self):
        root = xml.etree.ElementTree.fromstring(sample("junit"))
        for suite in root.iter("testsuite"):
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
            self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
            self.assertEqual(int(suite.get("errors")), len(suite.findall("testcase/error")))
        self.assertEqual(int(root.get("failures")), len(root.findall(".//failure")))
        self.assertEqual(int(root.get("errors")), len(root.findall(".//error")))

    def test_checkstyle_keeps_text(self):
        root = xml.etree.ElementTree.fromstring(sample("checkstyle"))
        messages = [e.get("message") for e in root.iter("error")]
        self.assertIn('possible: lanes 0 and 1 race on s[1], 100% sure: "maybe"', messages)
        self.assertTrue(messages[0].startswith("</script><img src=x onerror=alert(1)>\n"))


class Gitlab(unittest.TestCase):
    def test_fingerprints_are_unique(self):
        issues = json.loads(sample("gitlab"))
        self.assertEqual(len({i["fingerprint"] for i in issues}), len(issues))
        self.assertTrue(all(i["severity"] in ("info", "minor", "major", "critical", "blocker") for i in issues))


class Github(unittest.TestCase):
    def test_one_command_a_line_worst_first(self):
        lines = sample("github").decode().splitlines()
        self.assertTrue(all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in lines), lines)
        self.assertEqual([line[2:].split(" ")[0] for line in lines], ["notice", "error", "warning", "notice", "notice"])


def tool(*arguments, cwd=None, **env):
    return subprocess.run([OPTIONS.bin, "--no-cache", *arguments], cwd=cwd, capture_output=True, timeout=300,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **env})


class Runs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name) / "repo"
        (self.root / "src" / "a dir").mkdir(parents=True)
        (self.root / "src" / "a dir" / "barrier.cu").write_text(BARRIER, encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def test_paths_are_from_the_root_of_the_repository(self):
        seen = set()
        for cwd in (self.root, self.root / "src", self.root.parent):
            target = os.path.relpath(self.root / "src" / "a dir", cwd)
            run = json.loads(tool("--output=sarif", target, cwd=cwd).stdout)["runs"][0]
            place = run["results"][0]["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"], {"uri": "src/a%20dir/barrier.cu", "uriBaseId": "SRCROOT"})
            self.assertEqual(json.loads(tool("--output=gitlab", target, cwd=cwd).stdout)[0]["location"]["path"],
                             "src/a dir/barrier.cu")
            self.assertIn(b"file=src/a dir/barrier.cu,", tool("--output=github", target, cwd=cwd).stdout)
            seen.add(run["results"][0]["partialFingerprints"]["cuwarpLint/v1"])
        self.assertEqual(len(seen), 1)

    def test_standard_input_has_its_place_too(self):
        done = subprocess.run([OPTIONS.bin, "--no-cache", "--output=gitlab", "-", "--stdin-filename=unsaved.cu"],
                              cwd=self.root / "src", input=BARRIER.encode(), capture_output=True, timeout=300)
        self.assertEqual(json.loads(done.stdout)[0]["location"]["path"], "src/unsaved.cu")

    def test_columns_are_utf16_units(self):
        run = json.loads(tool("--output=sarif", "src", cwd=self.root).stdout)["runs"][0]
        region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
        line = BARRIER.splitlines()[region["startLine"] - 1].encode("utf-16-le")
        text = line[2 * (region["startColumn"] - 1):2 * (region["endColumn"] - 1)].decode("utf-16-le")
        self.assertEqual(text, "__syncthreads()")

    def test_several_at_once(self):
        done = tool("--output", "sarif:out.sarif", "--output", "concise", "--output=junit:out.xml", "src", cwd=self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"[divergent-barrier]", done.stdout)
        log = json.loads((self.root / "out.sarif").read_text(encoding="utf-8"))
        self.assertEqual(log["runs"][0]["invocations"][0]["exitCode"], 1)
        self.assertEqual(len(xml.etree.ElementTree.parse(self.root / "out.xml").findall(".//failure")), 1)
        self.assertEqual(sorted(p.name for p in self.root.iterdir()), [".git", "out.sarif", "out.xml", "src"])

    def test_two_formats_cannot_share_standard_output(self):
        done = tool("--output=json", "--output=text", "src", cwd=self.root)
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_files_are_replaced_whole(self):
        out = self.root / "report"
        out.write_text("old")
        out.chmod(0o640)
        other = self.root / "link"
        other.symlink_to("report")
        with open(out, encoding="utf-8") as reader:
            tool("--output=json:link", "src", cwd=self.root)
            self.assertEqual(reader.read(), "old")  # who has it open reads the old one to its end
        self.assertTrue(other.is_symlink())
        self.assertEqual(json.loads(out.read_text())["tool"], "cuwarp-lint")
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)

    def test_device_files_are_written_to(self):
        done = tool("--output=json:/dev/stdout", "src", cwd=self.root)
        self.assertEqual(json.loads(done.stdout)["tool"], "cuwarp-lint")

    def test_folder_that_is_not_there(self):
        done = tool("--output=json:nowhere/report.json", "src", cwd=self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nowhere/report.json: cannot be written", done.stderr)

    def test_what_is_not_shown_is_told(self):
        (self.root / "src" / "second.cu").write_text(BARRIER, encoding="utf-8")
        where = {"sarif": "1 more results not shown", "junit": "1 more not shown", "checkstyle": "1 more not shown",
                 "github": "1 more beyond --max-results", "text": "1 more beyond --max-results", "json": '"not_shown": 1',
                 "jsonl": '"not_shown":1'}
        for name in formats():
            done = tool("--max-results=1", "--output", name, "src", cwd=self.root)
            with self.subTest(format=name):
                self.assertIn(where.get(name, ""), done.stdout.decode())
                if name != "text":
                    self.assertIn("1 more finding not shown (--max-results)", done.stderr.decode())

    def test_suppressed_findings(self):
        """By a comment, and by a baseline: neither is shown, SARIF tells both and why."""
        place = self.root / "src" / "a dir" / "barrier.cu"
        (self.root / "src" / "other.cu").write_text(BARRIER, encoding="utf-8")
        tool("src/other.cu", "--write-baseline", "--baseline", "base.jsonl", cwd=self.root)
        place.write_text(BARRIER.replace("        /*", "        // cuwarp: ignore[divergent-barrier] -- on purpose\n        /*"),
                         encoding="utf-8")
        done = tool("--baseline=base.jsonl", "--output=sarif", "--output=concise:shown", "src", cwd=self.root)
        self.assertEqual((done.returncode, (self.root / "shown").read_text()), (0, ""))
        log = json.loads(done.stdout)
        told = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: r["suppressions"][0]
                for r in log["runs"][0]["results"]}
        self.assertEqual(told["src/a%20dir/barrier.cu"]["kind"], "inSource")
        self.assertEqual(told["src/a%20dir/barrier.cu"]["justification"], "on purpose")
        self.assertEqual(told["src/other.cu"]["kind"], "external")
        Sarif().validate(log)

    def test_the_same_bytes_for_any_j(self):
        for i in range(4):
            (self.root / "src" / ("more%d.cu" % i)).write_text(BARRIER, encoding="utf-8")
        for name in formats():
            with self.subTest(format=name):
                self.assertEqual(tool("-j1", "--output", name, "src", cwd=self.root).stdout,
                                 tool("-j4", "--output", name, "src", cwd=self.root).stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=os.path.abspath, required=True)
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.bin, OPTIONS.sample = os.path.abspath(OPTIONS.bin), os.path.abspath(OPTIONS.sample)
    unittest.main(argv=[sys.argv[0], *rest])
