#!/usr/bin/env python3
"""The language server: its life, documents, diagnostics, actions, hover, lenses, settings, workspace, and what goes wrong.

    run.py --bin TOOL [--hooks] [--dir FOLDER] [NAME…]

Every message of the server is read as the type that the protocol has for it (lsprotocol, in an environment of its own below
FOLDER). --hooks: the tool's workers crash and hang on demand. Nothing here is timed."""

import argparse
import json
import os
import re
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from case import CLEAN, COUNT_AS_MASK, DIVERGENT, OPTIONS, Case, environment
from client import CAPABILITIES, Failed, PATIENCE, edited, edits_of, merged

PULL = {"textDocument": {"diagnostic": {"relatedDocumentSupport": True}},
        "workspace": {"diagnostics": {"refreshSupport": True}}}


class Life(Case):
    def test_initialize_says_what_it_can(self):
        c = self.server()
        result = c.initialize()
        can = result["capabilities"]
        self.assertEqual(can["positionEncoding"], "utf-16")
        self.assertEqual(can["textDocumentSync"]["change"], 2)
        self.assertTrue(can["hoverProvider"] and can["codeLensProvider"] and can["codeActionProvider"])
        self.assertTrue(can["diagnosticProvider"]["workspaceDiagnostics"])
        self.assertEqual(result["serverInfo"]["name"], "cuwarp-lint")
        self.assertEqual(c.close(), 0)

    def test_exit_without_shutdown(self):
        c = self.started()
        c.notify("exit")
        self.assertEqual(c.process.wait(PATIENCE), 1)

    def test_exit_before_initialize(self):
        c = self.server()
        c.notify("exit")
        self.assertEqual(c.process.wait(PATIENCE), 1)

    def test_closed_input_ends_it(self):
        c = self.started()
        c.open("a.cu", DIVERGENT)
        c.process.stdin.close()
        self.assertEqual(c.process.wait(PATIENCE), 1)

    def test_closed_input_after_shutdown(self):
        c = self.started()
        c.request("shutdown")
        c.process.stdin.close()
        self.assertEqual(c.process.wait(PATIENCE), 0)

    def test_order(self):
        c = self.server()
        for method in ("textDocument/hover", "shutdown", "no/such"):
            with self.assertRaises(Failed) as error:
                c.request(method, {})
            self.assertEqual(error.exception.code, -32002, method)
        c.notify("textDocument/didOpen", {"textDocument": {"uri": c.uri("a.cu"), "languageId": "cuda", "version": 1,
                                                           "text": DIVERGENT}})
        c.initialize()
        with self.assertRaises(Failed) as error:
            c.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        self.assertEqual(error.exception.code, -32600)
        with self.assertRaises(Failed) as error:
            c.request("no/such", {})
        self.assertEqual(error.exception.code, -32601)
        c.notify("no/such")
        c.request("shutdown")
        with self.assertRaises(Failed) as error:
            c.request("textDocument/hover", {})
        self.assertEqual(error.exception.code, -32600)
        self.assertEqual(c.diagnostics, {}, "a document that was opened before initialize counts")
        c.notify("exit")
        self.assertEqual(c.process.wait(PATIENCE), 0)

    def test_ends_with_the_process_that_is_watched(self):
        watched = subprocess.Popen(["sleep", "1000"])
        try:
            c = self.server()
            c.initialize(processId=watched.pid)
        finally:
            watched.kill()
            watched.wait()
        self.assertEqual(c.process.wait(PATIENCE), 1)

    def test_no_process_outlives_it(self):
        c = self.started()
        self.put("slow.cu", CLEAN)
        c.open("slow.cu")
        c.kill()
        left = [p for p in pathlib.Path("/proc").glob("[0-9]*/environ")
                if str(self.home).encode() in read_or_nothing(p) and b"cuwarp-lint" in read_or_nothing(p.parent / "cmdline")]
        for path in left:  # the kernel ends them; it may take a moment
            while path.exists() and read_or_nothing(path):
                pass

    def test_usage(self):
        done = subprocess.run([OPTIONS.bin, "lsp", "a.cu"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lsp takes no paths", done.stderr)


def read_or_nothing(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


class Wire(Case):
    def answer_to_garbage(self, c):
        c.wait(lambda: None in c.answers, "answer to garbage")
        return c.answers.pop(None)["error"]["code"]

    def test_bad_json(self):
        c = self.started()
        c.raw(b"Content-Length: 9\r\n\r\n{\"jsonrpc")
        self.assertEqual(self.answer_to_garbage(c), -32700)
        self.assertEqual(c.close(), 0)

    def test_no_length(self):
        c = self.started()
        c.raw(b"Content-Type: x\r\n\r\n")
        self.assertEqual(self.answer_to_garbage(c), -32700)
        self.assertEqual(c.close(), 0)

    def test_length_too_small(self):
        c = self.started()
        body = json.dumps({"jsonrpc": "2.0", "id": 77, "method": "no/such"}).encode()
        c.raw(b"Content-Length: %d\r\n\r\n" % (len(body) - 4) + body)
        self.assertEqual(self.answer_to_garbage(c), -32700)
        self.assertEqual(c.close(), 0, "the next message is read")

    def test_length_too_large_costs_one_message(self):
        c = self.started()
        body = json.dumps({"jsonrpc": "2.0", "id": 77, "method": "no/such"}).encode()
        c.raw(b"Content-Length: %d\r\n\r\n" % (len(body) + 30) + body)
        c.send("no/such")
        self.assertEqual(self.answer_to_garbage(c), -32700)
        self.assertEqual(c.close(), 0)

    def test_no_message(self):
        c = self.started()
        for body in (b"[]", b"1", b"null", b'{"id": 5}', b'{"jsonrpc": "2.0", "method": 3}'):
            c.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        for _ in range(5):
            c.wait(lambda: None in c.answers or 5 in c.answers, "answer")
            number = None if None in c.answers else 5
            self.assertEqual(c.answers.pop(number)["error"]["code"], -32600)
            if number == 5:
                break
        self.assertEqual(c.close(), 0)

    def test_huge_message_is_skipped(self):
        c = self.started()
        size = (64 << 20) + 1
        c.raw(b"Content-Length: %d\r\n\r\n" % size)
        for _ in range(64):
            c.raw(b" " * (1 << 20))
        c.raw(b" ")
        self.assertEqual(self.answer_to_garbage(c), -32600)
        resident = int(pathlib.Path("/proc/%d/statm" % c.process.pid).read_text().split()[1]) * 4096
        if not OPTIONS.hooks:  # sanitizers keep what is freed
            self.assertLess(resident, 400 << 20, "it was kept")
        self.assertEqual(c.close(), 0)

    def test_several_at_once_and_in_pieces(self):
        c = self.server()
        data = b""
        for number, method in ((901, "a"), (902, "b")):
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode()
            data += b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(body) + body
        for i in range(0, len(data), 7):
            c.raw(data[i:i + 7])
        for number in (901, 902):
            with self.assertRaises(Failed):
                c.answer(number)


class Documents(Case):
    def test_push_is_what_check_says(self):
        self.put("a.cu", DIVERGENT)
        c = self.started()
        got = c.pushed(c.open("a.cu"))
        out = subprocess.run([OPTIONS.bin, "--no-cache", "--output", "json", "a.cu"], cwd=self.dir, capture_output=True)
        said = [(f["rule"], f["line"] - 1, f["column"] - 1) for f in json.loads(out.stdout)["findings"]]
        self.assertEqual(self.codes(got), said)
        self.assertEqual(said, [("divergent-barrier", 5, 8)])

    def test_unsaved_text_counts(self):
        self.put("a.cu", DIVERGENT)
        c = self.started()
        uri = c.open("a.cu", CLEAN)
        self.assertEqual(c.pushed(uri), [])
        c.change(uri, DIVERGENT)
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)])
        c.change(uri, (3, 4, 3, 15, "if (n < 16)"))
        self.assertEqual(c.pushed(uri), [])
        self.assertEqual((self.dir / "a.cu").read_text(), DIVERGENT, "the file was written")

    def test_several_changes_at_once_apply_in_order(self):
        c = self.started()
        uri = c.open("a.cu", CLEAN)
        c.pushed(uri)
        c.change(uri, DIVERGENT, (0, 0, 0, 0, "\n\n"), (0, 0, 1, 0, ""), (6, 0, 6, 0, "/* 😀 */"))
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 6, 16)])

    def test_positions_count_what_was_agreed(self):
        line = "    __syncthreads();"
        text = DIVERGENT.replace("        __syncthreads();", "        /* 😀é */ __syncthreads();", 1)
        self.assertIn(line, text)
        for offered, unit in ((["utf-16"], 18), (["utf-8", "utf-16"], 21)):
            c = self.server()
            result = c.initialize({"general": {"positionEncodings": offered}})
            self.assertEqual(result["capabilities"]["positionEncoding"], offered[0])
            uri = c.open("a.cu", text)
            at = c.pushed(uri)[0]["range"]
            self.assertEqual((at["start"]["character"], at["end"]["character"]), (unit, unit + 15))
            column = len("        /* 😀é */".encode("utf-16-le")) // 2 if offered[0] == "utf-16" else \
                len("        /* 😀é */".encode())
            c.change(uri, (5, column, 5, column, "\n"))
            self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 6, 1)])

    def test_line_endings(self):
        for ending in ("\r\n", "\r"):
            c = self.started()
            uri = c.open("a%d.cu" % len(ending), DIVERGENT.replace("\n", ending))
            self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)], repr(ending))
            c.change(uri, (5, 0, 6, 0, ""))
            self.assertEqual(c.pushed(uri), [])

    def test_edits_give_the_same_text_as_the_client_has(self):
        """Random edits; what is found in the end is what is found in the text that they give."""
        rng = random.Random(20261123)
        pieces = ["", " ", "\n", "\r\n", "// é😀 ", "\t", "/* */", "\n\n", "ab"]
        for trial in range(6):
            c = self.started()
            text = DIVERGENT if trial % 2 else DIVERGENT.replace("\n", "\r\n")
            uri = c.open("a.cu", text)
            for _ in range(30):
                lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
                line = rng.randrange(len(lines))
                before = len(lines[line].encode("utf-16-le")) // 2
                # At line ends and beginnings, where nothing of the code breaks.
                at = rng.choice([0, before, before + 5])
                new = rng.choice(pieces)
                if at and new.startswith("//"):
                    new += "\n"
                elif not at and new.startswith("//"):
                    new += "\r\n"
                elif new == "ab":
                    new = " "
                position = {"line": line, "character": min(at, before)}
                c.change(uri, (line, at, line, at, new))
                text = edited(text, [{"range": {"start": position, "end": position}, "newText": new}])
            got = c.pushed(uri)
            other = c.open("b.cu", text)
            self.assertEqual(self.codes(got), self.codes(c.pushed(other)), text)
            self.assertEqual(len(got), 1, text)
            c.kill()

    def test_edits_within_text_of_many_bytes(self):
        """The finding stands behind a comment that is edited anywhere: its column counts what every edit left there."""
        rng = random.Random(20261126)
        pieces = ["", "a", "é", "日本", "😀", "e\u0301", "😀😀é", "\n", "\r\n", "x\n😀"]
        for encoding in ("utf-16", "utf-8"):
            c = self.started(capabilities={"general": {"positionEncodings": [encoding]}})
            head, comment = DIVERGENT[:DIVERGENT.index("        __syncthreads();")], "é😀日"
            tail = DIVERGENT[len(head):]
            uri = c.open("a.cu", head + "/*" + comment + "*/" + tail)

            def units(text):
                return len(text.encode("utf-16-le")) // 2 if encoding == "utf-16" else len(text.encode())

            def place(text):
                lines = text.replace("\r\n", "\n").split("\n")
                return len(lines) - 1, units(lines[-1])

            for _ in range(15):
                at = rng.randrange(len(comment) + 1)
                end = min(len(comment), at + rng.randrange(3))
                at, end = (p - 1 if 0 < p < len(comment) and comment[p - 1:p + 1] == "\r\n" else p for p in (at, end))
                new = rng.choice(pieces)
                before = head + "/*"
                c.change(uri, (*place(before + comment[:at]), *place(before + comment[:end]), new))
                comment = comment[:at] + new + comment[end:]
                if comment[max(0, at - 1):at + 1] == "\r\n" or "\r" in comment.replace("\r\n", ""):
                    comment = comment.replace("\r\n", "\n").replace("\r", "\n")
                    c.change(uri, head + "/*" + comment + "*/" + tail)
                line, column = place(before + comment + "*/        ")
                self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", line, column)], repr(comment))
            begin, end = place(head), place(head + "/*" + comment + "*/")
            c.change(uri, (*begin, *end, ""))
            self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)])
            c.kill()

    def test_strange_changes_end_nothing(self):
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        c.change(uri, (99, 99, 999, 2 ** 31, "\n"), (5, 900, 2, 0, "x"))
        c.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"range": {}}]})
        c.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": "no"})
        c.notify("textDocument/didChange", {"textDocument": {"uri": "file:///none", "version": 3}, "contentChanges": []})
        c.notify("textDocument/didClose", {"textDocument": {"uri": "file:///none"}})
        c.notify("textDocument/didOpen", {"textDocument": {"uri": uri}})
        c.versions[uri] = 9
        c.change(uri, DIVERGENT)
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)])

    def test_nul_and_empty(self):
        c = self.started()
        for text in ("", "\0", DIVERGENT.replace("16", "1\0" + "6")):
            c.pushed(c.open("a.cu", text))
        self.assertEqual(c.close(), 0)

    def test_closing_takes_the_diagnostics_away(self):
        self.put("a.cu", DIVERGENT)
        c = self.started()
        uri = c.open("a.cu")
        self.assertEqual(len(c.pushed(uri)), 1)
        c.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        c.wait(lambda: c.diagnostics[uri]["diagnostics"] == [], "an empty list")

    def test_a_kernel_in_a_string(self):
        """What is not saved is the file's text; the parser reads the string's."""
        c = self.started()
        self.put("host.cpp", """#include <string>
static const char *source = R"(
struct limits { int at; __device__ operator bool() const { return threadIdx.x < at; } };
extern "C" __global__ void half(int *data, int n) {
    limits l{16};
    if (l) {
        data[threadIdx.x] += n;
        __syncthreads();
    }
}
)";
""")
        uri = c.open("host.cpp")
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 7, 8)])
        c.change(uri, (0, 0, 0, 0, "\n"))
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 8, 8)])

    def test_untitled_and_unsaved(self):
        c = self.started()
        c.versions["untitled:Untitled-1.cu"] = 1
        c.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:Untitled-1.cu", "languageId": "cuda-cpp",
                                                           "version": 1, "text": DIVERGENT}})
        self.assertEqual(self.codes(c.pushed("untitled:Untitled-1.cu")), [("divergent-barrier", 5, 8)])

    def test_a_newer_text_replaces_the_analysis_of_the_older(self):
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        for _ in range(40):
            c.change(uri, (0, 0, 0, 0, "\n"))
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 45, 8)])
        wrong = [d for d in [c.diagnostics[uri]] if d["version"] != c.versions[uri]]
        self.assertEqual(wrong, [])


    def test_no_version_gets_the_findings_of_an_older_one(self):
        """Another document's news come while this one is analysed."""
        c = self.started()
        seen = []

        def note(message):
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"].endswith("large.cu"):
                seen.append((message["params"]["version"], [d["range"]["start"]["line"] for d in message["params"]["diagnostics"]]))

        c.on_message = note
        more = "".join(CLEAN.replace("twice", "twice%d" % n) for n in range(200))
        large, small = c.open("large.cu", DIVERGENT + more), c.open("small.cu", DIVERGENT)
        c.pushed(large)
        for _ in range(8):
            c.change(large, (0, 0, 0, 0, "\n"))
            c.change(small, (0, 0, 0, 0, "\n"))
            c.pushed(small)
            c.pushed(large)
        self.assertEqual(seen, [(version, [4 + version]) for version in range(1, 10)])


class Headers(Case):
    HEADER = """#pragma once
__device__ void add_all(int *data, int n) {
    if (threadIdx.x < n) {
        __syncthreads();
        data[threadIdx.x] += 1;
    }
}
"""
    USER = '#include "add.cuh"\n__global__ void k(int *data) { add_all(data, 7); }\nvoid run(int *d) { k<<<1, 64>>>(d); }\n'

    def test_through_a_file_that_is_not_open(self):
        self.put("add.cuh", self.HEADER)
        self.put("user.cu", self.USER)
        c = self.started()
        uri = c.open("add.cuh")
        c.wait(lambda: c.diagnostics.get(uri, {}).get("diagnostics"), "findings in the header")
        found = c.diagnostics[uri]["diagnostics"]
        self.assertEqual(self.codes(found), [("divergent-barrier", 3, 8)])
        calls = [r for r in found[0]["relatedInformation"] if r["location"]["uri"].endswith("user.cu")]
        self.assertTrue(calls, "the call is not among the related places")

    def test_unsaved_header_counts_for_who_includes_it(self):
        self.put("add.cuh", self.HEADER.replace("threadIdx.x < n", "n < 5"))
        self.put("user.cu", self.USER)
        c = self.started()
        user = c.open("user.cu")
        self.assertEqual(c.pushed(user), [])
        header = c.open("add.cuh", self.HEADER)
        c.wait(lambda: c.diagnostics.get(header, {}).get("diagnostics"), "findings in the header")
        self.assertEqual(self.codes(c.diagnostics[header]["diagnostics"]), [("divergent-barrier", 3, 8)])
        c.change(header, (2, 8, 2, 23, "n < 5"))
        # The file that includes it is analysed beside it: its finding may stay for a moment under the new version.
        c.wait(lambda: c.diagnostics[header]["version"] == 2 and not c.diagnostics[header]["diagnostics"], "no finding")

    def test_finding_in_a_header_that_is_closed(self):
        self.put("add.cuh", self.HEADER)
        self.put("user.cu", self.USER)
        c = self.started()
        c.open("user.cu")
        header = c.uri("add.cuh")
        c.wait(lambda: c.diagnostics.get(header, {}).get("diagnostics"), "findings in the header")
        c.notify("textDocument/didClose", {"textDocument": {"uri": c.uri("user.cu")}})
        c.wait(lambda: c.diagnostics[header]["diagnostics"] == [], "an empty list")


    def test_an_includer_that_comes_and_goes(self):
        self.put("add.cuh", self.HEADER)
        c = self.started()
        uri = c.open("add.cuh")
        self.assertEqual(c.pushed(uri), [])
        for text, kind in ((self.USER, 1), (None, 3)):
            path = self.put("user.cu", text) if text else self.dir / "user.cu"
            if not text:
                path.unlink()
            c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})
            c.wait(lambda: bool(c.diagnostics[uri]["diagnostics"]) == bool(text), "the findings through user.cu")


class Parts(Case):
    """kernel.cu is no unit of its own: main.cu includes it after the size that it needs, and launches its kernel."""

    KERNEL = """__global__ void three_warps(float *out) {
    __shared__ float row[SIZE];
    if (threadIdx.x < 64)
        __syncthreads();
    row[threadIdx.x] = 1;
    out[threadIdx.x] = row[threadIdx.x];
}
"""
    MAIN = '#define SIZE 96\n#include "kernel.cu"\nvoid run(float *out) { three_warps<<<1, SIZE>>>(out); }\n'

    def setUp(self):
        super().setUp()
        self.put("kernel.cu", self.KERNEL)
        self.put("main.cu", self.MAIN)

    def found(self, c, uri):
        return self.codes(c.diagnostics.get(uri, {}).get("diagnostics", []))

    def test_a_part_is_read_through_the_file_that_includes_it(self):
        c = self.started()
        uri = c.open("kernel.cu")
        c.wait(lambda: self.found(c, uri), "the finding under the launch in main.cu")
        self.assertEqual(self.found(c, uri), [("divergent-barrier", 3, 8)])

    def test_unsaved_text_of_a_part_counts(self):
        c = self.started()
        uri = c.open("kernel.cu", self.KERNEL.replace("< 64", "< SIZE"))
        self.assertEqual(c.pushed(uri), [])
        c.change(uri, (2, 22, 2, 26, "64"))
        c.wait(lambda: self.found(c, uri), "the finding of the new text")
        self.assertEqual(self.found(c, uri), [("divergent-barrier", 3, 8)])

    def test_the_unsaved_file_around_a_part_counts(self):
        c = self.started()
        main, uri = c.open("main.cu"), c.open("kernel.cu")
        c.wait(lambda: self.found(c, uri), "the finding under the launch of 96 threads")
        c.change(main, (0, 13, 0, 15, "64"))
        c.wait(lambda: not self.found(c, uri), "no finding under the launch of 64 threads")

    def test_a_part_whose_includer_is_gone(self):
        c = self.started()
        uri = c.open("kernel.cu")
        c.wait(lambda: self.found(c, uri), "the finding under the launch in main.cu")
        path = self.dir / "main.cu"
        path.unlink()
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 3}]})
        c.wait(lambda: not self.found(c, uri), "no definite finding by itself")


class Diagnostics(Case):
    def test_related_places_tags_and_links(self):
        self.put("a.cu", "__global__ void k(int *p) { p[threadIdx.x] = __shfl(p[threadIdx.x], 0); }\n")
        c = self.started("--docs-url", "https://docs.example.org/")
        found = c.pushed(c.open("a.cu"))
        self.assertEqual([(d["code"], d["tags"], d["severity"], d["source"]) for d in found],
                         [("legacy-warp-intrinsic", [2], 1, "cuwarp-lint")])
        self.assertEqual(found[0]["codeDescription"]["href"], "https://docs.example.org/rules/legacy-warp-intrinsic/")
        uri = c.open("b.cu", DIVERGENT)
        texts = [(r["location"]["range"]["start"]["line"], r["message"]) for r in c.pushed(uri)[0]["relatedInformation"]]
        self.assertTrue(any(line == 3 and "t < 16" in text for line, text in texts), texts)
        witness = [text for line, text in texts if line == 5 and "block (64,1,1)" in text]
        self.assertEqual(len(witness), 1, texts)
        self.assertIn("████████████████················", witness[0])

    def test_client_that_knows_none_of_it(self):
        plain = {"textDocument": {"publishDiagnostics": {"relatedInformation": False, "tagSupport": None,
                                                         "codeDescriptionSupport": False, "dataSupport": False}}}
        c = self.started("--docs-url", "https://docs.example.org", capabilities=plain)
        found = c.pushed(c.open("a.cu", DIVERGENT))
        self.assertEqual(set(found[0]), {"range", "severity", "code", "source", "message"})

    def test_race_names_the_other_access(self):
        c = self.started()
        found = c.pushed(c.open("a.cu", """__global__ void shift(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
void run(int *out) { shift<<<1, 64>>>(out); }
"""))
        self.assertEqual([d["code"] for d in found], ["missing-syncthreads"])
        lines = {r["location"]["range"]["start"]["line"] for r in found[0]["relatedInformation"]}
        self.assertTrue({2, 3} <= lines | {found[0]["range"]["start"]["line"]}, found)

    def test_pull(self):
        c = self.started(capabilities=PULL)
        uri = c.open("a.cu", DIVERGENT)
        document = {"textDocument": {"uri": uri}}
        first = c.request("textDocument/diagnostic", document)
        self.assertEqual((first["kind"], self.codes(first["items"])), ("full", [("divergent-barrier", 5, 8)]))
        again = c.request("textDocument/diagnostic", {**document, "previousResultId": first["resultId"]})
        self.assertEqual(again, {"kind": "unchanged", "resultId": first["resultId"]})
        c.change(uri, CLEAN)
        last = c.request("textDocument/diagnostic", {**document, "previousResultId": first["resultId"]})
        self.assertEqual((last["kind"], last["items"]), ("full", []))
        self.assertEqual(c.diagnostics, {}, "pushed to a client that pulls")
        with self.assertRaises(Failed):
            c.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///none"}})

    def test_pull_tells_of_headers(self):
        self.put("add.cuh", Headers.HEADER)
        c = self.started(capabilities=PULL)
        uri = c.open("user.cu", Headers.USER)
        got = c.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        self.assertEqual(self.codes(got["relatedDocuments"][c.uri("add.cuh")]["items"]), [("divergent-barrier", 3, 8)])


    def test_pull_takes_back_what_it_told_of_headers(self):
        """A client keeps what it was told of a file that is not open until it is told otherwise."""
        self.put("add.cuh", Headers.HEADER)
        c = self.started(capabilities=PULL)
        uri = c.open("user.cu", Headers.USER)
        first = c.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        c.change(uri, Headers.USER.replace("add_all(data, 7)", "data[0] = 1"))
        ask = {"textDocument": {"uri": uri}, "previousResultId": first["resultId"]}
        got = c.request("textDocument/diagnostic", ask)
        self.assertEqual((got["kind"], got["relatedDocuments"][c.uri("add.cuh")]["items"]), ("unchanged", []))
        self.assertNotIn("relatedDocuments", c.request("textDocument/diagnostic", ask))


class Actions(Case):
    def titles(self, actions):
        return [a["title"] for a in actions]

    def test_verified_fix(self):
        c = self.started()
        uri = c.open("a.cu", COUNT_AS_MASK)
        found = c.pushed(uri)
        actions = c.actions(uri, found[0]["range"])
        preferred = [a for a in actions if a.get("isPreferred")]
        self.assertEqual([(a["title"], a["kind"]) for a in preferred],
                         [("name the whole warp, which makes the call: 0xffffffff (suspicious-mask-literal)", "quickfix")])
        self.assertEqual(preferred[0]["diagnostics"], found)
        change = preferred[0]["edit"]["documentChanges"][0]
        self.assertEqual(change["textDocument"], {"uri": uri, "version": 1})
        text = edited(COUNT_AS_MASK, change["edits"])
        self.assertEqual(text, COUNT_AS_MASK.replace("sync(32", "sync(0xffffffff"))
        c.change(uri, text)
        self.assertEqual(c.pushed(uri), [])
        self.assertEqual(c.actions(uri, found[0]["range"]), [])

    def test_what_is_offered_and_where(self):
        c = self.started()
        uri = c.open("a.cu", COUNT_AS_MASK)
        found = c.pushed(uri)
        titles = self.titles(c.actions(uri, found[0]["range"]))
        self.assertEqual(titles, ["name the whole warp, which makes the call: 0xffffffff (suspicious-mask-literal)",
                                  "Fix all findings of suspicious-mask-literal in this file",
                                  "Suppress suspicious-mask-literal on this line", "Explain suspicious-mask-literal",
                                  "Fix all findings of cuwarp-lint that can be fixed safely"])
        nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        self.assertEqual(self.titles(c.actions(uri, nowhere)), titles[-1:])
        self.assertEqual(self.titles(c.actions(uri, found[0]["range"], only=["quickfix"])), titles[:3])
        self.assertEqual(c.actions(uri, found[0]["range"], only=["refactor"]), [])

    def test_a_fix_that_is_not_proved_is_not_offered(self):
        """The same literal where lanes are missing: naming all lanes trades one fault for another."""
        c = self.started("--unsafe-fixes") if False else self.started()
        text = COUNT_AS_MASK.replace("    data[t] = ", "    if (t < 7)\n        data[t] = ")
        uri = c.open("a.cu", text)
        for diagnostic in c.pushed(uri):
            for action in c.actions(uri, diagnostic["range"]):
                if action.get("isPreferred"):
                    fixed = edited(text, edits_of(action["edit"], uri))
                    other = c.open("b.cu", fixed)
                    self.assertNotIn("mask-names-absent-lane", [d["code"] for d in c.pushed(other)])

    def test_unsafe_fix_says_so(self):
        c = self.started()
        text = """__global__ void sum_large(int *out, const int *in) {
    int v = in[threadIdx.x];
    unsigned m = __ballot_sync(0xffffffff, v > 0);
    if (v > 10)
        out[threadIdx.x] = __reduce_add_sync(m, v);
}
void run(int *out, const int *in) { sum_large<<<1, 64>>>(out, in); }
"""
        uri = c.open("a.cu", text)
        found = c.pushed(uri)
        unsafe = [a for a in c.actions(uri, found[0]["range"]) if a["title"].startswith("Unsafe fix: ")]
        self.assertEqual(len(unsafe), 1)
        self.assertNotIn("edit", unsafe[0])
        self.assertNotIn("isPreferred", unsafe[0])
        edit = c.request("codeAction/resolve", unsafe[0])["edit"]
        self.assertIn("__ballot_sync(0xffffffff, v > 10)", edited(text, edits_of(edit, uri)))

    TWO = COUNT_AS_MASK.replace("    data[t] = __shfl_up_sync(32, data[t], 1);\n",
                                "    data[t] = __shfl_up_sync(32, data[t], 1);\n    data[t] += __shfl_xor_sync(0xffffff, data[t], 1);\n")

    def test_fix_all_of_a_rule(self):
        c = self.started()
        uri = c.open("a.cu", self.TWO)
        found = c.pushed(uri)
        self.assertEqual([d["code"] for d in found], ["suspicious-mask-literal"] * 2)
        action = [a for a in c.actions(uri, found[0]["range"]) if a["title"].startswith("Fix all findings of suspicious")][0]
        fixed = edited(self.TWO, edits_of(c.request("codeAction/resolve", action)["edit"], uri))
        self.assertEqual(fixed.count("0xffffffff"), 2)

    def test_fix_all_on_saving(self):
        c = self.started()
        uri = c.open("a.cu", self.TWO)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        for kind in ("source.fixAll", "source.fixAll.cuwarp-lint"):
            actions = c.actions(uri, whole, only=[kind])
            self.assertEqual([a["kind"] for a in actions], ["source.fixAll.cuwarp-lint"])
            self.assertEqual(edited(self.TWO, edits_of(actions[0]["edit"], uri)).count("0xffffffff"), 2)
        self.assertEqual(c.actions(c.open("b.cu", CLEAN), whole, only=["source.fixAll"]), [])

    def test_suppress_with_a_reason(self):
        c = self.started(initializationOptions={"suppress-reason": "measured on the bench"})
        uri = c.open("a.cu", DIVERGENT)
        found = c.pushed(uri)
        action = [a for a in c.actions(uri, found[0]["range"]) if a["title"].startswith("Suppress")][0]
        text = edited(DIVERGENT, edits_of(c.request("codeAction/resolve", action)["edit"], uri))
        self.assertIn("// cuwarp: ignore[divergent-barrier] -- measured on the bench", text)
        c.change(uri, text)
        self.assertEqual(c.pushed(uri), [])

    def test_commands(self):
        edits = []
        c = self.started()
        uri = c.open("a.cu", self.TWO)
        c.pushed(uri)
        for command, argument in (("cuwarp-lint.fixAll", {"uri": uri}), ("cuwarp-lint.fixAll", {}),
                                  ("cuwarp-lint.fixAll", {"uri": uri, "rule": "suspicious-mask-literal"}),
                                  ("cuwarp-lint.suppress", {"uri": uri, "rule": "suspicious-mask-literal", "reason": "so"})):
            before = len(c.requests)
            self.assertIsNone(c.request("workspace/executeCommand", {"command": command, "arguments": [argument]}))
            c.wait(lambda: len(c.requests) > before, "workspace/applyEdit")
            self.assertEqual(c.requests[-1]["method"], "workspace/applyEdit")
            edits.append(edited(self.TWO, edits_of(c.requests[-1]["params"]["edit"], uri)))
        self.assertEqual([text.count("0xffffffff") for text in edits], [2, 2, 2, 0])
        self.assertEqual(edits[3].count("ignore[suspicious-mask-literal] -- so"), 2)
        with self.assertRaises(Failed):
            c.request("workspace/executeCommand", {"command": "rm", "arguments": []})

    def test_fix_all_with_progress(self):
        c = self.started()
        uri = c.open("a.cu", self.TWO)
        c.request("workspace/executeCommand", {"command": "cuwarp-lint.fixAll", "arguments": [{"uri": uri}],
                                               "workDoneToken": "t1"})
        kinds = [m["params"]["value"]["kind"] for m in list(c.messages.queue) if m["method"] == "$/progress"]
        self.assertEqual((kinds[0], kinds[-1]), ("begin", "end"))

    def test_explain(self):
        c = self.started()
        c.open("a.cu", CLEAN)
        said = c.request("workspace/executeCommand", {"command": "cuwarp-lint.explain",
                                                      "arguments": [{"rule": "divergent-barrier"}]})
        self.assertIn("## Why it is wrong", said["markdown"])
        self.assertNotIn("```cuda bad", said["markdown"])

    def test_clients_that_know_less(self):
        less = {"textDocument": {"codeAction": {"codeActionLiteralSupport": None, "resolveSupport": None}},
                "workspace": {"workspaceEdit": {"documentChanges": False}}}
        c = self.started(capabilities=less)
        uri = c.open("a.cu", COUNT_AS_MASK)
        found = c.pushed(uri)
        commands = c.actions(uri, found[0]["range"])
        self.assertTrue(all(isinstance(a["command"], str) for a in commands), commands)
        fix = [a for a in commands if a["title"].startswith("name the whole warp")][0]
        c.request("workspace/executeCommand", {"command": fix["command"], "arguments": fix["arguments"]})
        c.wait(lambda: c.requests, "workspace/applyEdit")
        edit = c.requests[-1]["params"]["edit"]
        self.assertEqual(list(edit), ["changes"])
        self.assertIn("0xffffffff", edited(COUNT_AS_MASK, edit["changes"][uri]))

    def test_client_that_does_not_apply_edits(self):
        c = self.started(capabilities={"workspace": {"applyEdit": False}})
        uri = c.open("a.cu", COUNT_AS_MASK)
        c.pushed(uri)
        with self.assertRaises(Failed) as error:
            c.request("workspace/executeCommand", {"command": "cuwarp-lint.fixAll", "arguments": [{"uri": uri}]})
        self.assertIn("does not apply edits", str(error.exception))
        self.assertEqual(c.requests, [])

    def test_fix_in_utf_8_and_beyond_the_plane(self):
        text = COUNT_AS_MASK.replace("    data[t] =", "    /* 😀é */ data[t] =")
        for encoding in ("utf-16", "utf-8"):
            c = self.started(capabilities={"general": {"positionEncodings": [encoding]}})
            uri = c.open("a.cu", text)
            action = [a for a in c.actions(uri, c.pushed(uri)[0]["range"]) if a.get("isPreferred")][0]
            self.assertEqual(edited(text, edits_of(action["edit"], uri), encoding), text.replace("sync(32", "sync(0xffffffff"))


class Knowledge(Case):
    def test_hover(self):
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        barrier = c.hover(uri, 5, 12)
        self.assertIn("**divergent-barrier**", barrier)
        self.assertIn("## Why it is wrong", barrier)
        self.assertIn("16 of 64 threads reach it; 48 of 64 threads take another path", barrier)
        self.assertIn("Warp 0: lanes 0-15 reach it; lanes 16-31 take another path", barrier)
        self.assertIn("all 64 threads reach it", c.hover(uri, 8, 8))
        self.assertEqual(c.hover(uri, 1, 8), "`t` in `half`: may differ between the threads of a warp, because of threadIdx.x")
        self.assertEqual(c.hover(uri, 2, 9), "`whole` in `half`: the same for all threads of the grid")
        self.assertEqual(c.hover(uri, 0, 36), "`n` in `half`: the same for all threads of the grid")
        self.assertEqual(c.hover(uri, 10, 0), "")
        self.assertEqual(c.hover(uri, 99, 0), "")

    def test_hover_says_nothing_of_what_is_not_known(self):
        text = """struct pair { int t; };
__global__ void k(int *p, pair q) {
    for (int i = 0; i < 4; i++) { int v = threadIdx.x; p[v] = i; }
    for (int i = 0; i < 4; i++) { int v = blockIdx.x; p[v] = q.t; }
}
"""
        c = self.started()
        uri = c.open("a.cu", text)
        self.assertEqual(c.hover(uri, 2, 38), "", "two variables of one name")
        self.assertEqual(c.hover(uri, 3, 63), "", "a member")

    def test_hover_in_device_functions(self):
        """The weakest of all calls from all kernels; without a kernel it depends on the caller."""
        text = """__device__ float scale(float v, int n, const float *table, float &sum, int unused) {
    int half = n / 2, copy = n, lane = threadIdx.x & 31;
    sum += v;
    return v * table[half] + lane + copy;
}
__device__ int alone(int n) { int m = n * 2; int t = threadIdx.x; const int k = 3; return m + t + k; }
__global__ void first(float *a, const float *table, int n) {
    float s = 0;
    a[threadIdx.x] = scale(a[threadIdx.x], n, table, s, 1);
}
__global__ void second(float *a, const float *table, int n) {
    float s = 0;
    a[threadIdx.x] = scale(1.0f, blockIdx.x, table, s, 2) + scale(1.0f, n, table, s, threadIdx.x / 32);
}
void run(float *a, float *b, int n) {
    first<<<4, 64>>>(a, b, n);
    second<<<4, 64>>>(a, b, n);
}
"""
        c = self.started()
        uri = c.open("a.cu", text)
        lines = text.split("\n")

        def said(line, name):
            return c.hover(uri, line, re.search(r"\b%s\b" % name, lines[line]).start())

        block = "`%s` in `scale`, called from `second`: the same for all threads of a block, it depends on blockIdx.x"
        self.assertEqual(said(0, "v"), "`v` in `scale`, called from `first`: may differ between the threads of a warp, "
                         "because of threadIdx.x")
        for line, name in ((0, "n"), (1, "half"), (1, "copy"), (3, "copy")):
            self.assertEqual(said(line, name), block % name)
        self.assertEqual(said(0, "table"),
                         "`table` in `scale`, called from `first` and 1 more: the same for all threads of the grid")
        self.assertEqual(said(0, "sum"), "", "a reference: its address would be told, not its value")
        self.assertEqual(said(0, "unused"), "`unused` in `scale`, called from `second`: the same for all threads of a warp, "
                         "it depends on threadIdx.x")
        self.assertEqual(said(1, "lane"), "`lane` in `scale`, called from `first` and 1 more: may differ between the threads "
                         "of a warp, because of threadIdx.x")
        caller = "`%s` in `alone`: depends on the caller; no kernel that is known here calls the function"
        self.assertEqual((said(5, "n"), said(5, "m")), (caller % "n", caller % "m"))
        self.assertIn("because of threadIdx.x", said(5, "t"))
        self.assertEqual(said(5, "k"), "`k` in `alone`: the same for all threads of the grid")

    def test_lens(self):
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        self.assertEqual([(lens["range"]["start"]["line"], lens["command"]["title"]) for lens in lenses],
                         [(0, "block (64,1,1), from the launch at line 13; analysed completely")])
        c.change(uri, '#include "no_such.h"\n' + DIVERGENT.replace("n / 2", "no_such(n)"))
        lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        self.assertEqual(len(lenses), 1)
        self.assertRegex(lenses[0]["command"]["title"], "analysed in part: .+|not analysed: .+")


    def test_instances_are_one_kernel(self):
        """One lens with the launches of all, and on hover what holds for all is said once."""
        c = self.started()
        uri = c.open("a.cu", """template <int N> __global__ void sum(float *out) {
    int t = threadIdx.x;
    __shared__ float s[N];
    s[t] = out[t];
    __syncthreads();
    out[t] = s[N - 1 - t];
}
void run(float *out) {
    sum<64><<<1, 64>>>(out);
    sum<128><<<1, 128>>>(out);
}
""")
        lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        self.assertEqual([lens["command"]["title"] for lens in lenses],
                         ["block (64,1,1), from the launch at line 9 (and 1 more); analysed completely"])
        self.assertEqual(c.hover(uri, 1, 8),
                         "`t` in `sum<64>` and 1 more: may differ between the threads of a warp, because of threadIdx.x")
        barrier = c.hover(uri, 4, 8)
        self.assertIn("all 64 threads reach it", barrier)
        self.assertIn("all 128 threads reach it", barrier)


class Settings(Case):
    def test_file_is_read_again(self):
        self.put("a.cu", DIVERGENT)
        c = self.started()
        uri = c.open("a.cu")
        self.assertEqual(len(c.pushed(uri)), 1)
        self.put(".cuwarp-lint.yaml", "ignore: [divergent-barrier]\n")
        c.diagnostics.clear()
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": c.uri(".cuwarp-lint.yaml"), "type": 1}]})
        c.change(uri, (0, 0, 0, 0, " "))
        self.assertEqual(c.pushed(uri), [])

    def test_watched_file_alone(self):
        self.put("a.cu", DIVERGENT)
        c = self.started()
        uri = c.open("a.cu")
        self.assertEqual(len(c.pushed(uri)), 1)
        self.put(".cuwarp-lint.yaml", "ignore: [divergent-barrier]\n")
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": c.uri(".cuwarp-lint.yaml"), "type": 1}]})
        c.wait(lambda: c.diagnostics[uri]["diagnostics"] == [], "an empty list")

    def test_registers_for_files(self):
        c = self.started(capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        c.wait(lambda: c.requests, "client/registerCapability")
        watchers = c.requests[0]["params"]["registrations"][0]["registerOptions"]["watchers"]
        self.assertIn("**/.cuwarp-lint.yaml", [w["globPattern"] for w in watchers])

    def test_of_the_client(self):
        c = self.started(initializationOptions={"ignore": ["divergent-barrier"]})
        uri = c.open("a.cu", DIVERGENT)
        self.assertEqual(c.pushed(uri), [])
        c.notify("workspace/didChangeConfiguration", {"settings": {"cuwarp-lint": {"severity": {"divergent-barrier": "info"}}}})
        c.wait(lambda: c.diagnostics[uri]["diagnostics"], "findings")
        self.assertEqual(c.diagnostics[uri]["diagnostics"][0]["severity"], 3)

    def test_asked_from_the_client(self):
        c = self.server()
        c.answer_for["workspace/configuration"] = [{"ignore": "divergent-barrier"}]
        c.initialize({"workspace": {"configuration": True}})
        uri = c.open("a.cu", DIVERGENT)
        c.wait(lambda: c.diagnostics.get(uri, {}).get("diagnostics") == [], "an empty list")

    def test_asked_again_when_they_change(self):
        c = self.server()
        c.initialize({"workspace": {"configuration": True}})
        uri = c.open("a.cu", DIVERGENT)
        self.assertEqual(len(c.pushed(uri)), 1)
        c.answer_for["workspace/configuration"] = [{"ignore": "divergent-barrier"}]
        c.notify("workspace/didChangeConfiguration", {"settings": None})
        c.wait(lambda: c.diagnostics[uri]["diagnostics"] == [], "an empty list")

    def test_what_is_excluded_is_left_alone(self):
        """An editor opens files that nobody asked about, as the target of a jump."""
        self.put(".cuwarp-lint.yaml", "exclude: [theirs/]\n")
        self.put("theirs/a.cu", DIVERGENT)
        c = self.started()
        self.assertEqual(c.pushed(c.open("theirs/a.cu")), [])
        self.assertEqual(len(c.pushed(c.open("mine.cu", DIVERGENT))), 1)

    def test_compile_commands_are_read_again(self):
        text = DIVERGENT.replace("t < 16", "t < LIMIT")

        def write(limit):
            self.put("compile_commands.json", json.dumps([{"directory": str(self.dir), "file": "a.cu",
                                                           "command": "nvcc -DLIMIT=%d -c a.cu" % limit}]))

        self.put("a.cu", text)
        write(64)
        c = self.started()
        uri = c.open("a.cu")
        self.assertEqual(c.pushed(uri), [])
        write(16)
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": c.uri("compile_commands.json"), "type": 2}]})
        c.wait(lambda: len(c.diagnostics[uri]["diagnostics"]) == 1, "the finding")

    def test_a_header_on_the_disk_is_read_again(self):
        self.put("add.cuh", Headers.HEADER.replace("threadIdx.x < n", "n < 5"))
        c = self.started()
        uri, header = c.open("user.cu", Headers.USER), c.uri("add.cuh")
        self.assertEqual(c.pushed(uri), [])
        self.put("add.cuh", Headers.HEADER)
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": header, "type": 2}]})
        c.wait(lambda: c.diagnostics.get(header, {}).get("diagnostics"), "the finding in the header")

    def test_wrong_ones_are_said(self):
        c = self.started(initializationOptions={"selct": ["x"]})
        c.open("a.cu", DIVERGENT)
        c.wait(lambda: any("did you mean 'select'" in json.dumps(m) for m in list(c.messages.queue)), "a message")
        c.notify("workspace/didChangeConfiguration", {"settings": {"cuwarp-lint": {"possible": True}}})
        c.wait(lambda: len(c.diagnostics.get(c.uri("a.cu"), {}).get("diagnostics", [])) == 1, "the finding")

    def test_wrong_file_is_said(self):
        self.put(".cuwarp-lint.yaml", "selct: [all]\n")
        c = self.started()
        c.open("a.cu", DIVERGENT)
        c.wait(lambda: any("did you mean 'select'" in json.dumps(m) for m in list(c.messages.queue)), "a message")


class Workspace(Case):
    def fill(self, n):
        for i in range(n):
            self.put("src/k%d.cu" % i, DIVERGENT if i % 2 else CLEAN)

    def test_all_files(self):
        self.fill(6)
        c = self.started(capabilities=PULL)
        got = c.request("workspace/diagnostic", {"previousResultIds": [], "workDoneToken": "w"})["items"]
        self.assertEqual(sorted(i["uri"] for i in got), [c.uri("src/k%d.cu" % i) for i in (1, 3, 5)])
        self.assertTrue(all(i["version"] is None and self.codes(i["items"]) == [("divergent-barrier", 5, 8)] for i in got))
        said = [m["params"] for m in list(c.messages.queue) if m["method"] == "$/progress"]
        self.assertEqual({p["token"] for p in said}, {"w"})
        kinds = [p["value"]["kind"] for p in said]
        self.assertEqual((kinds[0], set(kinds[1:-1]), kinds[-1]), ("begin", {"report"}, "end"))
        self.assertTrue(said[0]["value"]["cancellable"])
        done = [p["value"].get("percentage") for p in said[:-1] if "percentage" in p["value"]]
        self.assertEqual(done, sorted(done))
        self.assertTrue(any(re.fullmatch(r"\d of 6 files", p["value"].get("message", "")) for p in said), said)

    def test_again_waits_for_news(self):
        self.fill(4)
        c = self.started(capabilities=PULL)
        got = c.request("workspace/diagnostic", {"previousResultIds": []})["items"]
        known = [{"uri": i["uri"], "value": i["resultId"]} for i in got]
        number = c.send("workspace/diagnostic", {"previousResultIds": known})
        uri = c.open("src/k1.cu", CLEAN)
        got = c.answer(number)["items"]
        self.assertEqual({i["uri"]: (i["kind"], i.get("items"), i["version"]) for i in got},
                         {c.uri("src/k1.cu"): ("full", [], 1), c.uri("src/k3.cu"): ("unchanged", None, None)})
        self.assertEqual(c.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"], [])

    def test_cancel(self):
        self.fill(4)
        c = self.started(capabilities=PULL)
        got = c.request("workspace/diagnostic", {"previousResultIds": []})["items"]
        number = c.send("workspace/diagnostic",
                        {"previousResultIds": [{"uri": i["uri"], "value": i["resultId"]} for i in got]})
        c.notify("$/cancelRequest", {"id": number})
        with self.assertRaises(Failed) as error:
            c.answer(number)
        self.assertEqual(error.exception.code, -32800)
        number = c.send("workspace/diagnostic",
                        {"previousResultIds": [{"uri": i["uri"], "value": i["resultId"]} for i in got], "workDoneToken": 5})
        c.notify("window/workDoneProgress/cancel", {"token": 5})
        with self.assertRaises(Failed) as error:
            c.answer(number)
        self.assertEqual(error.exception.code, -32800)
        self.assertEqual(c.close(), 0)

    def test_cancel_while_it_runs(self):
        self.fill(30)
        c = self.started(capabilities=PULL)
        number = c.send("workspace/diagnostic", {"previousResultIds": []})
        c.notify("$/cancelRequest", {"id": number})
        with self.assertRaises(Failed) as error:
            c.answer(number)
        self.assertEqual(error.exception.code, -32800)
        self.assertEqual(c.close(), 0)

    def test_folders_change(self):
        self.fill(2)
        other = self.dir.parent / "other"
        other.mkdir()
        (other / "z.cu").write_text(DIVERGENT)
        c = self.started(capabilities=PULL)
        c.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": other.as_uri(), "name": "o"}],
                                                                   "removed": [{"uri": self.dir.as_uri(), "name": "w"}]}})
        got = c.request("workspace/diagnostic", {"previousResultIds": []})["items"]
        self.assertEqual([i["uri"] for i in got], [(other / "z.cu").as_uri()])

    def test_nothing_is_open(self):
        c = self.server()
        c.request("initialize", {"processId": None, "rootUri": None, "capabilities": merged(CAPABILITIES, PULL)})
        c.notify("initialized")
        self.assertEqual(c.request("workspace/diagnostic", {"previousResultIds": []}), {"items": []})

    def test_requests_about_an_older_text(self):
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        numbers = [c.send("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 9}})]
        c.change(uri, (0, 0, 0, 0, "\n"))
        try:  # it was answered before the change came, or it is said that there is no use in it
            c.answer(numbers[0])
        except Failed as error:
            self.assertEqual(error.code, -32801)
        self.assertIn("divergent-barrier", c.hover(uri, 6, 9))


class Bounds(Case):
    def said(self, c, text):
        return any(text in json.dumps(m) for m in list(c.messages.queue))

    def test_a_file_that_needs_more_memory_than_it_may(self):
        """The limit holds for the process of an analysis; the server and other documents go on. A small file needs 86 MB with
        the parser, the large one more than 200; with sanitizers both need more."""
        said = subprocess.run([OPTIONS.bin, "--no-cache", "--profile", self.put("small.cu", DIVERGENT)], capture_output=True, text=True)
        limit = int(re.search(r"highest memory of one: (\d+)", said.stderr)[1]) + 45
        c = self.started("--memory-limit", str(limit))
        large = "".join(DIVERGENT.replace("half", "half%d" % n) for n in range(3000))
        self.assertEqual(c.pushed(c.open("large.cu", large)), [])
        c.wait(lambda: self.said(c, "large.cu: could not be analysed: more memory needed than the limit of %d MB" % limit), "a message")
        self.assertEqual(self.codes(c.pushed(c.open("small.cu", DIVERGENT))), [("divergent-barrier", 5, 8)])
        self.assertEqual(c.close(), 0)

    def test_the_server_does_not_grow(self):
        if OPTIONS.hooks:
            self.skipTest("sanitizers keep what is freed")
        c = self.started()
        uri = c.open("a.cu", DIVERGENT)
        c.pushed(uri)
        resident = []
        for n in range(3):
            for _ in range(400):
                c.change(uri, (0, 0, 0, 0, "// some words of a comment\n"), (0, 0, 1, 0, ""))
            self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)])
            resident.append(int(pathlib.Path("/proc/%d/statm" % c.process.pid).read_text().split()[1]) * 4096)
        self.assertLess(resident[2] - resident[0], 4 << 20, resident)

    def test_a_worker_that_is_killed(self):
        """A message and no findings for its document; the server goes on, and the next edit is analysed as ever."""
        c = self.started()
        children = pathlib.Path("/proc/%d/task/%d/children" % (c.process.pid, c.process.pid))
        for attempt in range(20):  # one that is killed too late has answered
            uri = c.open("a%d.cu" % attempt, DIVERGENT + "/* %d */\n" % attempt)
            while not children.read_text() and uri not in c.diagnostics:
                pass
            for pid in children.read_text().split():
                os.kill(int(pid), signal.SIGSEGV)
            if not c.pushed(uri):
                break
        self.assertEqual(c.pushed(uri), [])
        c.wait(lambda: self.said(c, "ended unexpectedly"), "a message")
        c.change(uri, DIVERGENT)
        self.assertEqual(self.codes(c.pushed(uri)), [("divergent-barrier", 5, 8)])
        self.assertEqual(c.close(), 0)


class Trouble(Case):
    def setUp(self):
        super().setUp()
        if not OPTIONS.hooks:
            self.skipTest("needs a build with hooks, as the preset dev makes it")

    def test_a_worker_that_crashes(self):
        c = self.started(environment={"CUWARP_TEST_WORKER": "crash:bad"})
        self.assertEqual(c.pushed(c.open("bad.cu", DIVERGENT)), [])
        self.assertEqual(len(c.pushed(c.open("good.cu", DIVERGENT))), 1)
        self.assertTrue(any("could not be analysed" in json.dumps(m) for m in list(c.messages.queue)))
        self.assertEqual(c.close(), 0)

    def processes(self, c):
        return set(pathlib.Path("/proc/%d/task/%d/children" % (c.process.pid, c.process.pid)).read_text().split())

    def wait_for_processes(self, c, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition(self.processes(c)):
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)
        return self.processes(c)

    def test_cancelled_work_ends(self):
        """Not only its answer: no process of it is left."""
        self.put("slow.cu", DIVERGENT)
        c = self.started(capabilities=PULL, environment={"CUWARP_TEST_WORKER": "hang:slow"})
        number = c.send("workspace/diagnostic", {"previousResultIds": []})
        self.wait_for_processes(c, bool, "the run began")
        c.notify("$/cancelRequest", {"id": number})
        with self.assertRaises(Failed) as error:
            c.answer(number)
        self.assertEqual(error.exception.code, -32800)
        self.wait_for_processes(c, lambda left: not left, "the run ended")

    def test_a_worker_that_hangs_is_replaced_by_the_next_key(self):
        c = self.started(environment={"CUWARP_TEST_WORKER": "hang:slow"})
        uri = c.open("slow.cu", DIVERGENT)
        good = c.open("good.cu", DIVERGENT)
        self.assertEqual(len(c.pushed(good)), 1)
        for _ in range(5):
            hanging = self.wait_for_processes(c, bool, "an analysis")
            c.change(uri, (0, 0, 0, 0, " "))
            self.wait_for_processes(c, lambda left: not left & hanging, "the analysis of the older text ended")
        number = c.send("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 9}})
        c.notify("$/cancelRequest", {"id": number})
        with self.assertRaises(Failed):
            c.answer(number)
        self.assertEqual(c.close(), 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: str(pathlib.Path(p).resolve()), required=True)
    parser.add_argument("--hooks", action="store_true")
    parser.add_argument("--dir")
    parser.add_argument("names", nargs="*")
    parser.parse_args(namespace=OPTIONS)
    python = environment()
    if not python and os.environ.get("CUWARP_NEED_ALL"):
        sys.exit("the protocol's types (lsprotocol) cannot be installed")
    if not python:
        print("the protocol's types (lsprotocol) cannot be installed: messages are not checked against them")
    elif python != sys.executable and "CUWARP_LSP_TEST" not in os.environ:
        os.environ["CUWARP_LSP_TEST"] = "1"
        os.execv(python, [python] + sys.argv)
    unittest.main(argv=[sys.argv[0], *OPTIONS.names], verbosity=1)


if __name__ == "__main__":
    main()
