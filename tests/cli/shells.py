#!/usr/bin/env python3
"""The man page and the completions, in the programs that read them: man's checkers, a real bash, zsh and fish.

    shells.py --bin TOOL

Programs that are not installed are passed over with a message; CUWARP_NEED_ALL in the environment makes that a failure.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

OPTIONS = argparse.Namespace(bin=None)
COMMANDS = ("check", "explain", "rules", "launch", "doctor")


def generate(what):
    return subprocess.run([OPTIONS.bin, "--generate", what], check=True, capture_output=True, text=True).stdout


def options_of(command):
    """Long options, as --help tells them."""
    text = subprocess.run([OPTIONS.bin, command, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M))


def need(name):
    if shutil.which(name):
        return
    if os.environ.get("CUWARP_NEED_ALL"):
        raise AssertionError(name + " is not installed")
    raise unittest.SkipTest(name + " is not installed")


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)
        (self.dir / "src dir").mkdir()
        (self.dir / "kernel.cu").write_text("\n")
        (self.dir / "bin").mkdir()
        (self.dir / "bin" / "cuwarp-lint").symlink_to(OPTIONS.bin)
        self.env = {**os.environ, "PATH": "%s:%s" % (self.dir / "bin", os.environ["PATH"]), "HOME": str(self.dir),
                    "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    def put(self, what, name):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generate(what))
        return path

    def run_in(self, *arguments, text=None):
        return subprocess.run(arguments, cwd=self.dir, env=self.env, capture_output=True, text=True, input=text, timeout=120)


class Man(Case):
    def test_checkers_have_no_complaint(self):
        page = self.put("man", "cuwarp-lint.1")
        need("mandoc")
        said = self.run_in("mandoc", "-T", "lint", str(page)).stdout.splitlines()
        self.assertEqual([line for line in said if "missing date" not in line], [])  # the same bytes on any day
        need("groff")
        done = self.run_in("groff", "-ww", "-man", "-Tutf8", "-z", str(page))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_everything_is_in_it(self):
        text = generate("man").replace("\\-", "-")
        for command in COMMANDS:
            self.assertRegex(text, r"(?m)^\\fB%s\\fR" % command)
            for option in options_of(command):
                self.assertIn("--%s" % option, text)
        for line in text.splitlines():
            self.assertNotRegex(line, r"^'")


class Completion(Case):
    """The same questions for every shell."""

    def check_answers(self, complete):
        self.assertEqual(complete("cuwarp-lint --fail-o"), {"--fail-on"})
        self.assertEqual(complete("cuwarp-lint --fail-on "), {"error", "warning", "info"})
        self.assertEqual(complete("cuwarp-lint check --color=a"), {"auto", "always"})
        self.assertEqual(complete("cuwarp-lint explain stale"), {"stale-activemask"})
        self.assertEqual(complete("cuwarp-lint --select bad-shuffle-width,narrow-l"), {"bad-shuffle-width,narrow-lane-index"})
        self.assertEqual(complete("cuwarp-lint --output sar"), {"sarif"})
        self.assertEqual(complete("cuwarp-lint doc"), {"doctor"})
        self.assertEqual(complete("cuwarp-lint kern"), {"kernel.cu"})
        self.assertEqual(complete("cuwarp-lint explain --fail"), set())

    def check_all_options(self, complete):
        for command in COMMANDS:
            self.assertEqual({a for a in complete("cuwarp-lint %s --" % command) if a.startswith("--")},
                             {"--" + o for o in options_of(command)}, command)


class Bash(Completion):
    def complete(self, line):
        """What bash would offer: its own splitting of words, at `=` too, and the function it would call."""
        words = [w for w in re.split(r" +|(=)", line) if w is not None]
        words = [w for i, w in enumerate(words) if w or i + 1 == len(words)]
        script = ("source completion\ncompopt() { :; }\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_cuwarp_lint\n"
                  "printf '%%s\\n' \"${COMPREPLY[@]}\"\n" % (" ".join("'%s'" % w for w in words), len(words) - 1))
        done = self.run_in("bash", "--noprofile", "--norc", "-eu", "-c", script)
        self.assertEqual(done.stderr, "")
        return {word.strip() for word in done.stdout.split("\n") if word.strip()}

    def test_bash(self):
        need("bash")
        self.put("bash", "completion")
        self.assertEqual(self.run_in("bash", "-n", "completion").stderr, "")
        self.assertIn("-F _cuwarp_lint cuwarp-lint", self.run_in("bash", "-c", "source completion; complete -p").stdout)
        self.check_answers(self.complete)
        self.check_all_options(self.complete)
        self.assertEqual(self.complete("cuwarp-lint --cache-dir src"), {"src dir"})
        self.assertEqual(self.complete("cuwarp-lint kernel.cu -- kern"), {"kernel.cu"})


class Fish(Completion):
    def complete(self, line):
        done = self.run_in("fish", "-c", "complete -C '%s'" % line)
        self.assertEqual(done.stderr, "")
        answers = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
        return {answer.split("=", 1)[-1] for answer in answers}  # fish offers the whole word

    def test_fish(self):
        need("fish")
        path = self.put("fish", ".config/fish/completions/cuwarp-lint.fish")
        self.assertEqual(self.run_in("fish", "-n", str(path)).stderr, "")
        self.check_answers(self.complete)
        self.check_all_options(self.complete)


class Zsh(Completion):
    """zsh completes in its line editor only: a real one, on a terminal of its own."""

    def zsh(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(["zsh", "-f", "-i"], cwd=self.dir, env={**self.env, "TERM": "xterm", "COLUMNS": "200"},
                                   stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(os.close, master)
        return master

    def read_until(self, master, mark):
        seen, end = "", time.monotonic() + 60
        while mark not in seen:
            if time.monotonic() > end:
                self.fail("zsh said only %r" % seen)
            if select.select([master], [], [], 0.2)[0]:
                seen += os.read(master, 65536).decode(errors="replace")
        return seen

    def ask(self, line):
        """The answers as zsh's own list of matches, taken by a hook instead of being shown."""
        os.write(self.master, b"\x15" + line.encode() + b"\x18c")  # clear the line, type, complete
        answer = self.read_until(self.master, "<done>")
        return {word for word in re.findall(r"<([^<>]+)>", answer) if word not in ("begin", "done")}

    def test_zsh(self):
        need("zsh")
        self.put("zsh", "functions/_cuwarp-lint")
        self.assertEqual(self.run_in("zsh", "-n", "functions/_cuwarp-lint").stderr, "")
        (self.dir / "setup.zsh").write_text(r"""
fpath=($PWD/functions $fpath)
autoload -Uz compinit; compinit -u -d $PWD/dump
zstyle ':completion:*' insert-tab false
# Every match goes through compadd: note it there.
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a found; builtin compadd -O found "$@"; noted+=("${(@)found}"); builtin compadd "$@"
}
note() {
  noted=()
  _main_complete
  local m
  print -rn -- "<begin>"
  for m in $noted; do print -rn -- "<$m>"; done
  print -rn -- "<done>"
  compstate[insert]= compstate[list]=
}
zle -C note complete-word note
bindkey '^Xc' note
PS1='ready:'
print -r -- set''up
""")
        self.master = self.zsh()
        os.write(self.master, b"source setup.zsh\n")
        self.read_until(self.master, "setup\r\n")
        time.sleep(0.5)

        def complete(line):
            word = line.rsplit(" ", 1)[-1]
            prefix = word[:word.rfind(",") + 1]
            return {prefix + w.rstrip("=") if prefix else w.rstrip("=") for w in self.ask(line)}

        self.check_answers(complete)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.bin = os.path.abspath(OPTIONS.bin)
    unittest.main(argv=[sys.argv[0], *rest])
