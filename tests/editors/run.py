#!/usr/bin/env python3
"""The set-ups of editors/: Neovim's runs in Neovim, Emacs's in Emacs, the extension for Visual Studio Code compiled in node; the
others are read and compared with the server.

    run.py --bin TOOL

UPDATE_SNAPSHOTS=1 in the environment rewrites the settings in editors/vscode/package.json from the program's schema."""

import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
sys.path.insert(0, str(ROOT / "tests/lsp"))
from client import Client  # noqa: E402

OPTIONS = argparse.Namespace(bin=None)
KERNEL = """__global__ void pass_on(int *data) {
    int t = threadIdx.x;
    data[t] = __shfl_up_sync(32, data[t], 1);
}

void run(int *data) {
    pass_on<<<1, 64>>>(data);
}
"""
# Settings of the extension, which the server does not see or has beside the keys of a configuration.
OWN = {
    "path": {"type": "string", "default": "cuwarp-lint", "scope": "machine-overridable",
             "description": "The program; a name is looked for on the PATH."},
    "args": {"type": "array", "items": {"type": "string"}, "default": [], "scope": "machine-overridable",
             "description": "More arguments of the server, after lsp."},
    "enable": {"type": "boolean", "default": True, "scope": "window", "description": "Start the server."},
    "trace.server": {"type": "string", "enum": ["off", "messages", "verbose"], "default": "off", "scope": "window",
                     "description": "Log the messages between the editor and the server."},
    "suppress-reason": {"type": ["string", "null"], "default": None, "scope": "resource",
                        "description": "The reason that the action to silence a finding writes into its comment."},
}
FILES_ONLY = {"extend", "overrides"}  # stand in files, not in settings of editors


def need(name):
    if shutil.which(name):
        return
    if os.environ.get("CUWARP_NEED_ALL"):
        raise AssertionError(name + " is not installed")
    raise unittest.SkipTest(name + " is not installed")


def schema():
    return json.loads(subprocess.run([OPTIONS.bin, "--generate", "schema"], check=True, capture_output=True).stdout)


def setting_of(key):
    """A key's schema as VS Code has settings: null, the default, leaves the word to the configuration files."""
    setting = {k: v for k, v in key.items() if k != "description"}
    if isinstance(setting.get("type"), str):
        setting["type"] = [setting["type"], "null"]
    elif "enum" in setting:
        setting["enum"] = setting["enum"] + [None]
    else:
        setting["anyOf"] = setting["anyOf"] + [{"type": "null"}]
    return {**setting, "default": None, "scope": "resource", "description": key["description"]}


def expected_settings():
    keys = {k: setting_of(v) for k, v in schema()["properties"].items() if k not in FILES_ONLY}
    return {"cuwarp-lint." + k: v for k, v in {**OWN, **keys}.items()}


class VisualStudioCode(unittest.TestCase):
    def setUp(self):
        self.folder = EDITORS / "vscode"
        self.package = json.loads((self.folder / "package.json").read_text())
        self.source = (self.folder / "src/extension.ts").read_text()

    def server(self):
        client = Client([OPTIONS.bin, "lsp"], tempfile.gettempdir())
        self.addCleanup(client.kill)
        return client.initialize()

    def test_settings_are_the_servers(self):
        expected = expected_settings()
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            self.package["contributes"]["configuration"]["properties"] = expected
            (self.folder / "package.json").write_text(json.dumps(self.package, indent=2) + "\n")
        found = self.package["contributes"]["configuration"]["properties"]
        self.assertEqual(sorted(found), sorted(expected))
        self.assertEqual(found, expected, "rewrite them with UPDATE_SNAPSHOTS=1")
        for name in re.findall(r'(?:get(?:<[^>]*>)?|affectsConfiguration)\("([a-z.-]+)"', self.source):
            self.assertIn("cuwarp-lint." + name.removeprefix("cuwarp-lint."), found)

    def test_commands(self):
        listed = {c["command"] for c in self.package["contributes"]["commands"]}
        self.assertEqual(set(re.findall(r'registerCommand\("([^"]+)"', self.source)), listed)
        of_server = set(self.server()["capabilities"]["executeCommandProvider"]["commands"])
        self.assertFalse(listed & of_server, "the client registers the server's commands itself")

    def test_activation(self):
        languages = json.loads(re.search(r"const languages = (\[.*?\]);", self.source)[1])
        self.assertEqual(self.package["activationEvents"], ["onLanguage:" + language for language in languages])

    def test_metadata(self):
        version = re.search(r"project\(cuwarp-lint VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.package["version"], version)
        for key in ("name", "displayName", "description", "publisher", "license", "repository", "categories", "keywords",
                    "engines", "main"):
            self.assertTrue(self.package.get(key), key)
        self.assertRegex(self.package["engines"]["vscode"], r"^\^\d+\.\d+\.\d+$")
        self.assertLessEqual(set(self.package["categories"]), {"Linters", "Programming Languages"})
        options = json.loads((self.folder / "tsconfig.json").read_text())["compilerOptions"]
        self.assertEqual(self.package["main"], "./%s/extension.js" % options["outDir"])
        self.assertTrue((self.folder / "LICENSE").exists())
        modules = set(re.findall(r'from "([^"]+)"', self.source))
        self.assertEqual(modules - {"vscode"}, {"vscode-languageclient/node"})
        self.assertIn("vscode-languageclient", self.package["dependencies"])

    def test_what_a_marketplace_asks(self):
        """What vsce refuses to package without, or warns of."""
        head = (self.folder / self.package["icon"]).read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreaterEqual(min(struct.unpack(">II", head[16:24])), 128)
        self.assertRegex(self.package["name"], r"^[a-z0-9][a-z0-9-]*$")
        self.assertRegex(self.package["publisher"], r"^[a-zA-Z0-9][a-zA-Z0-9-]*$")
        self.assertEqual(self.package["scripts"]["vscode:prepublish"], "npm run compile")
        types, engine = (re.findall(r"\d+", version) for version in (self.package["devDependencies"]["@types/vscode"],
                                                                    self.package["engines"]["vscode"]))
        self.assertLessEqual([int(n) for n in types], [int(n) for n in engine], "types of a later editor than the engine")
        left_out = (self.folder / ".vscodeignore").read_text().splitlines()
        self.assertLessEqual({"src/**", "tsconfig.json"}, set(left_out))
        for name in ("README.md", "LICENSE"):
            self.assertGreater((self.folder / name).stat().st_size, 200, name)

    def compile(self, source, folder):
        """Compiles it against the declarations in vscode/ambient.d.ts; the compiler's words and what came out."""
        need("tsc")
        (folder / "src").mkdir()
        (folder / "src/extension.ts").write_text(source)
        (folder / "ambient.d.ts").write_text((ROOT / "tests/editors/vscode/ambient.d.ts").read_text())
        options = {"rootDir": str(folder / "src"), "outDir": str(folder / "out"), "sourceMap": False}
        (folder / "tsconfig.json").write_text(json.dumps({
            "extends": str(self.folder / "tsconfig.json"), "compilerOptions": options,
            "files": ["src/extension.ts", "ambient.d.ts"], "include": []}))
        done = subprocess.run(["tsc", "-p", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, folder / "out/extension.js"

    def test_types(self):
        with tempfile.TemporaryDirectory() as holder:
            self.assertEqual(self.compile(self.source, pathlib.Path(holder))[:2], (0, ""))
        mistake = self.source.replace("running?.stop()", "running.halt(client)")
        self.assertNotEqual(mistake, self.source)
        with tempfile.TemporaryDirectory() as holder:
            text = self.compile(mistake, pathlib.Path(holder))[1]
            self.assertRegex(text, "TS2532|TS18048|possibly 'undefined'")
            self.assertIn("Property 'halt' does not exist", text)

    def test_it_starts_and_stops_the_server(self):
        """The compiled extension in node; the client starts the command that it is given and reads the first answer."""
        need("node")
        with tempfile.TemporaryDirectory() as holder:
            module = self.compile(self.source, pathlib.Path(holder))[2]
            done = subprocess.run(["node", ROOT / "tests/editors/vscode/activate.js", module, OPTIONS.bin], check=True,
                                  capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        seen = json.loads(done.stdout)
        self.assertEqual([(s["server"], s["args"]) for s in seen["started"]],
                         [("cuwarp-lint", ["lsp", "-q"])] * 2 + [("cuwarp-lint", ["lsp"])] * 2)
        self.assertEqual(seen["before"], 2, "another setting restarted it")
        self.assertEqual(seen["disabled"], {"started": 3, "stopped": 3})
        self.assertEqual((seen["stopped"], seen["shown"], seen["kept"]), (4, 1, 3))
        self.assertEqual(len(seen["errors"]), 1)
        self.assertIn("could not be started (see cuwarp-lint.path)", seen["errors"][0])
        self.assertEqual(set(seen["commands"]), {c["command"] for c in self.package["contributes"]["commands"]})
        languages = {s["language"] for s in seen["started"][0]["selector"]}
        self.assertEqual({"onLanguage:" + name for name in languages}, set(self.package["activationEvents"]))


class Others(unittest.TestCase):
    def test_helix(self):
        config = tomllib.loads((EDITORS / "helix/languages.toml").read_text())
        server = config["language-server"]["cuwarp-lint"]
        self.assertEqual([server["command"], *server["args"]], ["cuwarp-lint", "lsp"])
        self.assertLessEqual(set(server["config"]), set(schema()["properties"]))
        self.assertTrue(all("cuwarp-lint" in language["language-servers"] for language in config["language"]))

    def test_sublime(self):
        client = json.loads((EDITORS / "sublime/LSP.sublime-settings").read_text())["clients"]["cuwarp-lint"]
        self.assertEqual(client["command"], ["cuwarp-lint", "lsp"])

    def test_emacs(self):
        path = EDITORS / "emacs/cuwarp-lint.el"
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', re.sub(r"(?m);.*$", "", path.read_text()))
        self.assertEqual(text.count("("), text.count(")"))
        self.assertIn('(cuda-mode . ("cuwarp-lint" "lsp"))', path.read_text())

    def test_readmes(self):
        """Each has a set-up of at most three steps, and names files that are there."""
        for folder in sorted(p for p in EDITORS.iterdir() if p.is_dir()):
            text = (folder / "README.md").read_text()
            steps = re.findall(r"(?m)^\d\. ", text) or re.search(r"```\w+\n(.*?)```", text, re.S)[1].splitlines()
            self.assertLessEqual(len(steps), 3, folder)
            for link in re.findall(r"\]\(([^):]+)\)", text):
                self.assertTrue((folder / link).exists(), link)
            self.assertIn("(%s/README.md)" % folder.name, (EDITORS / "README.md").read_text())


def written_setup(name, language):
    """The lines that the README of an editor tells to write, for this checkout."""
    block, = re.findall(r"```%s\n(.*?)```" % language, (EDITORS / name / "README.md").read_text(), re.S)
    return block.replace("/path/to/cuwarp-lint", str(ROOT))


def put_on_path(folder):
    """The PATH on which the program is found by its name."""
    folder.mkdir()
    (folder / "cuwarp-lint").symlink_to(OPTIONS.bin)
    return "%s:%s" % (folder, os.environ["PATH"])


class Neovim(unittest.TestCase):
    def test_a_finding_is_shown_and_fixed(self):
        need("nvim")
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder).resolve()
            work, config = folder / "work/src", folder / "config/nvim"
            work.mkdir(parents=True)
            config.mkdir(parents=True)
            (config / "init.lua").write_text(written_setup("neovim", "lua"))
            (folder / "work/.cuwarp-lint.yaml").write_text("{}\n")
            (work / "kernel.cu").write_text(KERNEL)
            env = {**os.environ, "HOME": holder, "XDG_CONFIG_HOME": holder + "/config", "XDG_DATA_HOME": holder + "/data",
                   "XDG_STATE_HOME": holder + "/state", "XDG_CACHE_HOME": holder + "/cache", "PATH": put_on_path(folder / "bin"),
                   "REPORT": holder + "/report.json"}
            done = subprocess.run(["nvim", "--headless", "-i", "NONE", "-n", "-c",
                                   "luafile %s" % (ROOT / "tests/editors/fix.lua")],
                                  cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertTrue((folder / "report.json").exists(), done.stderr + done.stdout)
            seen = json.loads((folder / "report.json").read_text())
            self.assertNotIn("error", seen, done.stderr)
            self.assertEqual((seen["filetype"], seen["root"]), ("cuda", str(folder / "work")))
            self.assertEqual([(d["line"], d["source"]) for d in seen["before"]], [(3, "cuwarp-lint")], seen)
            self.assertEqual(seen["after"], 0, seen)
            fixed = (work / "kernel.cu").read_text()
            self.assertNotEqual(fixed, KERNEL)
            check = subprocess.run([OPTIONS.bin, "--no-cache", "-q", "kernel.cu"], cwd=work, capture_output=True, text=True)
            self.assertEqual((check.returncode, check.stdout), (0, ""))


class Emacs(unittest.TestCase):
    def test_a_finding_is_shown_and_fixed(self):
        need("emacs")
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder).resolve()
            work, setup = folder / "work", folder / "init.el"
            work.mkdir()
            setup.write_text(written_setup("emacs", "elisp"))
            (work / "kernel.cu").write_text(KERNEL)
            env = {**os.environ, "HOME": holder, "XDG_CACHE_HOME": holder + "/cache", "REPORT": holder + "/report.json",
                   "PATH": put_on_path(folder / "bin"), "SETUP": str(setup)}
            probe = subprocess.run(["emacs", "-q", "--batch", "--eval", "(require 'eglot)"], env=env, capture_output=True)
            if probe.returncode and not os.environ.get("CUWARP_NEED_ALL"):
                self.skipTest("eglot is not installed")
            done = subprocess.run(["emacs", "-q", "--batch", "-l", str(ROOT / "tests/editors/fix.el")], cwd=work, env=env,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertTrue((folder / "report.json").exists(), done.stderr)
            seen = json.loads((folder / "report.json").read_text())
            self.assertNotIn("error", seen, done.stderr)
            self.assertEqual((seen["mode"], seen["server"], seen["line"], seen["after"]), ("cuda-mode", "cuwarp-lint", 3, 0))
            self.assertRegex(seen["before"][0], r"^cuwarp-lint \[suspicious-mask-literal\]: ")
            self.assertEqual((work / "kernel.cu").read_text(), KERNEL.replace("sync(32", "sync(0xffffffff"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.bin = os.path.abspath(OPTIONS.bin)
    unittest.main(argv=[sys.argv[0], *rest])
