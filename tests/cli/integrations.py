#!/usr/bin/env python3
"""The files by which others run the program: the hooks of pre-commit, the GitHub Action, the GitLab job, the Dockerfile; and what
the documentation's site is made of.

    integrations.py --bin PATH

tests/packages uses the first three for real, which takes minutes and an index; here they are read, and what they run is run.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402


def load(name):
    try:
        import yaml
    except ImportError as error:
        if os.environ.get("CUWARP_NEED_ALL"):
            raise
        raise unittest.SkipTest(str(error))
    return yaml.safe_load((run.ROOT / name).read_text())


class Hooks(run.Case):
    def test_every_kind_of_file_that_holds_device_code(self):
        for hook in load(".pre-commit-hooks.yaml"):
            self.assertEqual(hook["types_or"], ["cuda", "c", "c++"])
            self.assertTrue(hook["require_serial"])
            program, *arguments = shlex.split(hook["entry"])
            self.assertEqual(program, "cuwarp-lint")
            for name in ("a.cu", "a.cuh", "a.h", "a.hpp", "a.cpp"):
                self.put(name, run.WIDTH)
                self.check_status(1, *arguments, name)
            self.put("host.cpp", "int main() { return 0; }\n")
            self.check_status(0, *arguments, "host.cpp")
            self.put(".cuwarp-lint.yaml", "exclude: [a.cu]\n")
            self.check_status(0, *arguments, "a.cu")
            (self.dir / ".cuwarp-lint.yaml").unlink()


class Jobs(run.Case):
    def test_options_exist(self):
        """What the action and the job give to the program is what it takes."""
        known = set(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z-]+)", self.check_status(0, "--help").stdout.decode()))
        action = load("action.yml")
        self.assertEqual(action["runs"]["using"], "composite")
        scripts = [step["run"] for step in action["runs"]["steps"]]
        job = load("packages/gitlab/cuwarp-lint.yml")["cuwarp-lint"]
        self.assertEqual(job["artifacts"]["when"], "always")
        for script in scripts + job["script"]:
            done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        used = set(re.findall(r"--(?:output|since)\b", "\n".join(scripts + job["script"])))
        self.assertEqual(used, {"--output", "--since"})
        self.assertLessEqual(used, known)
        for step in action["runs"]["steps"]:  # inputs reach a shell as variables only
            self.assertNotIn("${{", step["run"])


class Wheels(run.Case):
    def test_workflow(self):
        """Both machines, and commands that are there; tests/packages runs the one that names a wheel."""
        job = load(".github/workflows/wheels.yml")["jobs"]["wheel"]
        self.assertEqual(job["strategy"]["matrix"]["runner"], ["ubuntu-24.04", "ubuntu-24.04-arm"])
        script = "\n".join(step["run"] for step in job["steps"] if "run" in step)
        done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in re.findall(r"(?:packages|cmake|tests)/\S+\.(?:sh|py)", script):
            self.assertTrue((run.ROOT / name).exists(), name)
            self.assertTrue(name.endswith(".py") or os.access(run.ROOT / name, os.X_OK), name)
        self.assertIn("class WheelTest", (run.ROOT / "tests/packages/packages.py").read_text())


class Extension(run.Case):
    def test_workflow(self):
        """Where node and its registry are there, the extension becomes a file that can be installed."""
        job = load(".github/workflows/check.yml")["jobs"]["extension"]
        folder = job["defaults"]["run"]["working-directory"]
        package = json.loads((run.ROOT / folder / "package.json").read_text())
        scripts = [step["run"] for step in job["steps"] if "run" in step]
        self.assertEqual([s.split()[:2] for s in scripts], [["npm", "install"], ["npm", "run"]])
        command = package["scripts"][scripts[1].split()[2]]
        self.assertEqual(command.split()[0], "vsce")
        self.assertIn("@vscode/vsce", package["devDependencies"])
        upload = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact")]
        self.assertEqual([u["path"] for u in upload], [folder + "/*.vsix"])


class Dockerfile(run.Case):
    def steps(self):
        text = (run.ROOT / "Dockerfile").read_text()
        lines = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", text)).splitlines()
        return [line.split(None, 1) for line in lines if line.strip()]

    def test_steps(self):
        stages, packages = [], []
        for word, rest in self.steps():
            self.assertIn(word, {"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT", "CMD"})
            if word == "FROM":
                self.assertRegex(rest, r"^debian:bookworm(-slim)?( AS \w+)?$")
                stages += rest.split(" AS ")[1:]
            if word == "COPY":
                source = re.match(r"--from=(\w+) ", rest)
                self.assertTrue(source is None or source[1] in stages, rest)
                self.assertTrue(source or (run.ROOT / rest.split()[0]).exists(), rest)
            if word == "RUN":
                done = subprocess.run(["bash", "-n", "-c", rest], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for script in re.findall(r"(?<![\w/])cmake/\S+\.sh", rest):
                    self.assertTrue(os.access(run.ROOT / script, os.X_OK), script)
                packages += re.findall(r"--no-install-recommends (.*?)(?: &&|$)", rest)
            if word in ("ENTRYPOINT", "CMD"):
                self.assertRegex(rest, r'^\["[^"]+"\]$')
        self.assertTrue(packages)
        self.assertEqual(self.steps()[-1][0], "CMD")

    def test_presets_and_generators_exist(self):
        text = (run.ROOT / "Dockerfile").read_text()
        presets = (run.ROOT / "CMakePresets.json").read_text()
        for preset in re.findall(r"--preset (\w+)", text):
            self.assertIn('"name": "%s"' % preset, presets)
        self.assertIn("CPACK_GENERATOR DEB", (run.ROOT / "cmake/Packages.cmake").read_text())


class Documentation(run.Case):
    def test_every_rule_has_a_generation(self):
        groups = json.loads((run.ROOT / "docs/rules-by-generation.json").read_text())
        listed = [rule for group in groups for rule in group["rules"]]
        rules = [r["rule"] for r in json.loads(self.check_status(0, "rules", "--output", "json").stdout)]
        self.assertEqual(sorted(listed), sorted(rules))

    def test_search_and_navigation(self):
        text = (run.ROOT / "mkdocs.yml").read_text()
        self.assertRegex(text, r"(?m)^plugins:\n  - search\b")
        for page in re.findall(r"- (usage/\S+\.md)", text):
            self.assertTrue((run.ROOT / "docs" / page).exists(), page)
        for page in (run.ROOT / "docs/usage").glob("*.md"):
            self.assertIn("- usage/" + page.name, text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    run.OPTIONS, rest = parser.parse_known_args(namespace=run.OPTIONS)
    run.OPTIONS.bin = os.path.abspath(run.OPTIONS.bin)
    unittest.main(argv=[sys.argv[0], *rest])
