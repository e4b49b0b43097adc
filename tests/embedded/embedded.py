#!/usr/bin/env python3
"""CUDA in strings, through the whole tool: what is walked, what is counted, what is kept, what may be fixed.

    embedded.py --bin PATH
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = None
KERNEL = "extern \"C\" __global__ void k(int *o, int v) { o[threadIdx.x] = __shfl_sync(~0u, v, 0, %d); }\n"
RULE = "bad-shuffle-width"


class Embedded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def put(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def lint(self, *args, cache=False):
        env = dict(os.environ, LC_ALL="C.UTF-8", XDG_CACHE_HOME=str(self.dir / ".kept"))
        done = subprocess.run([BIN, *([] if cache else ["--no-cache"]), "--output", "json", *args], cwd=self.dir, env=env,
                              capture_output=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        return json.loads(done.stdout)

    def places(self, report):
        return [(f["file"], f["line"], f["column"], f["end_line"], f["end_column"]) for f in report["findings"]
                if f["rule"] == RULE]

    def test_directories_are_walked_for_both_languages(self):
        self.put("a.py", f"import cupy\nk = cupy.RawKernel('''\n{KERNEL % 33}''', 'k')\n")
        self.put("b/c.cc", f"const char *s = R\"(\n{KERNEL % 34})\";\n")
        self.put("b/d.h", f"static const char s[] = R\"(\n{KERNEL % 35})\";\n")
        self.put("plain.py", "print('__syncthreads')\n")
        column = KERNEL.index("__shfl")
        end = KERNEL.index("; }") + 1
        found = [("a.py", 3, column + 1, 3, end), ("b/c.cc", 2, column + 1, 2, end), ("b/d.h", 2, column + 1, 2, end)]
        self.assertEqual(self.places(self.lint()), found)
        self.assertEqual(self.places(self.lint("--embedded")), found)
        self.assertEqual(self.places(self.lint("--no-embedded")), [])

    def test_the_configuration_leaves_strings_alone(self):
        self.put("a.py", f"import cupy\nk = cupy.RawKernel('''\n{KERNEL % 33}''', 'k')\n")
        for text, found in (("embedded: false\n", 0), ("embedded: true\n", 1)):
            self.put(".cuwarp-lint.yaml", text)
            report = self.lint()
            self.assertEqual(len(self.places(report)), found, text)

    def test_a_python_file_is_never_read_as_cuda_itself(self):
        self.put("a.py", f'k = """\n{KERNEL % 33}"""\n')
        report = self.lint("--no-embedded", "a.py")
        self.assertEqual((report["findings"], report["coverage"]["kernels"]), ([], 0))

    def test_strings_that_only_exist_at_run_time_are_counted_with_the_reason(self):
        self.put("a.py", "T = 'int'\n"
                         "a = f'''__global__ void a({T} *o) {{ *o = 1; }}'''\n"
                         "b = '''__global__ void b(%s *o) { *o = 1; }''' % T\n"
                         "c = '''__global__ void c(int *o) { *o = 1; }'''\n")
        coverage = self.lint("--embedded", "a.py")["coverage"]
        self.assertEqual((coverage["kernels"], coverage["analysed"]), (3, 1))
        self.assertEqual([(s["kernel"], s["line"], s["column"]) for s in coverage["skipped"]], [("a", 2, 25), ("b", 3, 24)])
        self.assertIn("f-string", coverage["skipped"][0]["reason"])
        self.assertIn("filled in", coverage["skipped"][1]["reason"])

    def test_results_with_and_without_strings_are_kept_apart(self):
        self.put("a.cc", f"const char *s = R\"(\n{KERNEL % 33})\";\n")
        os.utime(self.dir / "a.cc", (1, 1))
        for _ in range(2):
            self.assertEqual(len(self.places(self.lint("--no-embedded", "a.cc", cache=True))), 0)
            self.assertEqual(len(self.places(self.lint("--embedded", "a.cc", cache=True))), 1)

    def test_a_header_of_a_string_is_part_of_the_key(self):
        self.put("a.py", "import cupy\nk = cupy.RawModule(code='#include \"w.cuh\"\\n' '" +
                 (KERNEL % 99).strip().replace("99", "WIDTH") + "')\n")
        self.put("b.cc", "const char *s = \"#include \\\"w.cuh\\\"\\n\" R\"(" + (KERNEL % 99).replace("99", "WIDTH") + ")\";\n")
        for width, found in ((32, 0), (33, 2), (16, 0)):
            header = self.put("w.cuh", f"#define WIDTH {width}\n")
            self.lint("--embedded", "-I.", "a.py", "b.cc", cache=True)
            report = self.lint("--embedded", "-I.", "a.py", "b.cc", cache=True)
            self.assertEqual(len(self.places(report)), found, header.read_text())

    def test_two_programs_of_a_file_do_not_see_each_other(self):
        self.put("a.py", "import cupy\n"
                         "a = cupy.RawModule(code='''\n#define W 32\n" + (KERNEL % 7).replace("7", "W") + "''')\n"
                         "b = cupy.RawModule(code='''\n#define W 33\n" + (KERNEL % 7).replace("7", "W") + "''')\n")
        self.assertEqual([p[1] for p in self.places(self.lint("--embedded", "a.py"))], [8])

    def test_fixes_are_offered_where_they_can_be_written(self):
        self.put("a.cc", f"const char *s = R\"(\n{KERNEL % 33})\";\nconst char *t = \"{KERNEL.strip() % 33}\\n\";\n"
                 .replace('"extern "C" ', '"extern \\"C\\" '))
        findings = [f for f in self.lint("--embedded", "a.cc")["findings"] if f["rule"] == RULE]
        self.assertEqual([f["line"] for f in findings], [2, 4])
        self.assertEqual(findings[1].get("fixes", []), [])

    def test_text_from_standard_input(self):
        text = f"k = '''\n{KERNEL % 33}'''\n".encode()
        done = subprocess.run([BIN, "--embedded", "--output", "concise", "--stdin-filename", "x.py", "-"], cwd=self.dir,
                              input=text, capture_output=True, timeout=120, check=False)
        self.assertIn(b"x.py:2:", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    options, rest = parser.parse_known_args()
    BIN = str(pathlib.Path(options.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=0)
