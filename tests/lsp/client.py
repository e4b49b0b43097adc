"""A client of the language server for tests: requests and notifications over its standard input and output.

Nothing here is timed but the wait for an answer that never comes, which is a failure of the test."""

import json
import os
import pathlib
import queue
import subprocess
import threading

PATIENCE = float(os.environ.get("CUWARP_LSP_PATIENCE", 300))  # seconds; sanitizers on a busy machine

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "workspaceFolders": True,
                  "configuration": False},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]},
                               "codeDescriptionSupport": True, "dataSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
                       "dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
}


def merged(base, more):
    out = dict(base)
    for key, value in (more or {}).items():
        out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out


class Failed(Exception):
    """The server's answer to a request is an error."""

    def __init__(self, error):
        super().__init__(error)
        self.code = error["code"]


class Client:
    def __init__(self, command, folder=None, home=None, environment=None, on_message=None):
        env = dict(os.environ, **(environment or {}))
        if home:
            env.update(HOME=str(home), XDG_CACHE_HOME=str(home) + "/cache")
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        cwd=folder, env=env)
        self.folder = pathlib.Path(folder) if folder else None
        self.messages = queue.Queue()  # all but answers to requests, in their order
        self.answers, self.next_id, self.versions = {}, 0, {}
        self.arrived = threading.Condition()
        self.on_message = on_message
        self.requests = []             # of the server
        self.answer_for = {"workspace/applyEdit": {"applied": True}, "workspace/configuration": [None]}
        self.diagnostics = {}          # uri -> the last ones that were pushed, with their version
        self.is_closed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    # ---- the wire ----

    def _read(self):
        try:
            self._read_messages(self.process.stdout)
        finally:
            with self.arrived:
                self.is_closed = True
                self.arrived.notify_all()

    def _read_messages(self, out):
        while True:
            length = None
            while (line := out.readline()).strip():
                name, _, value = line.decode("ascii").partition(":")
                assert name in ("Content-Length", "Content-Type"), line
                length = int(value) if name == "Content-Length" else length
            if length is None:
                return
            self._take(json.loads(out.read(length)))

    def _take(self, message):
        assert message["jsonrpc"] == "2.0", message
        if self.on_message:
            self.on_message(message)
        with self.arrived:
            if "method" in message and "id" in message:
                self.requests.append(message)
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": self.answer_for.get(message["method"])})
            elif message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics[message["params"]["uri"]] = message["params"]
            if "method" not in message:
                self.answers[message["id"]] = message
            else:
                self.messages.put(message)
            self.arrived.notify_all()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _write(self, message):
        body = json.dumps(message).encode()
        try:
            self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        except BrokenPipeError:
            pass

    def wait(self, condition, what):
        with self.arrived:
            if not self.arrived.wait_for(lambda: condition() or self.is_closed, PATIENCE) or not condition():
                raise AssertionError("%s: %s" % ("the server has ended" if self.is_closed else "nothing came", what))

    # ---- messages ----

    def notify(self, method, params=None):
        self._write({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def send(self, method, params=None, **more):
        """Sends a request; its number."""
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, **more}
        if params is not None:
            message["params"] = params
        self._write(message)
        return self.next_id

    def answer(self, number):
        self.wait(lambda: number in self.answers, "answer to request %s" % number)
        message = self.answers.pop(number)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def request(self, method, params=None):
        return self.answer(self.send(method, params))

    def initialize(self, capabilities=None, **more):
        folder = self.folder.as_uri() if self.folder else None
        params = {"processId": os.getpid(), "rootUri": folder,
                  "workspaceFolders": [{"uri": folder, "name": "w"}] if folder else None,
                  "capabilities": merged(CAPABILITIES, capabilities)}
        result = self.request("initialize", {**params, **more})
        self.notify("initialized")
        return result

    def close(self):
        """Says goodbye; the exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(PATIENCE)

    def kill(self):
        """Ends it, whatever state it is in."""
        self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:  # what was not written has no reader
                pass

    # ---- documents ----

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text=None):
        uri = self.uri(name)
        self.versions[uri] = 1
        text = (self.folder / name).read_text() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1,
                                                              "text": text}})
        return uri

    def change(self, uri, *changes):
        """Each change is a whole text, or (line, character, end line, end character, text)."""
        self.versions[uri] += 1
        events = [{"text": c} if isinstance(c, str) else
                  {"range": {"start": {"line": c[0], "character": c[1]}, "end": {"line": c[2], "character": c[3]}},
                   "text": c[4]} for c in changes]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                               "contentChanges": events})

    def pushed(self, uri):
        """The diagnostics for the document's present version."""
        version = self.versions.get(uri)
        self.wait(lambda: self.diagnostics.get(uri, {}).get("version", -1) == version, "diagnostics of " + uri)
        return self.diagnostics[uri]["diagnostics"]

    def actions(self, uri, span, **context):
        return self.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": span,
                                                        "context": {"diagnostics": [], **context}})

    def hover(self, uri, line, character):
        found = self.request("textDocument/hover", {"textDocument": {"uri": uri},
                                                    "position": {"line": line, "character": character}})
        return found["contents"]["value"] if found else ""


def offset(text, position, encoding="utf-16"):
    """Index in `text` of a position of the protocol; lines end at LF, CRLF and CR."""
    at, line = 0, 0
    while line < position["line"]:
        ends = [i for i in (text.find("\n", at), text.find("\r", at)) if i >= 0]
        at = min(ends) + (2 if text.startswith("\r\n", min(ends)) else 1)
        line += 1
    units = position["character"]
    while units > 0:
        units -= len(text[at].encode("utf-16-le")) // 2 if encoding == "utf-16" else len(text[at].encode())
        at += 1
    return at


def edited(text, edits, encoding="utf-16"):
    """The text with TextEdits of the protocol applied."""
    spans = sorted((offset(text, e["range"]["start"], encoding), offset(text, e["range"]["end"], encoding), e["newText"])
                   for e in edits)
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def edits_of(workspace_edit, uri):
    for change in workspace_edit.get("documentChanges", []):
        if change["textDocument"]["uri"] == uri:
            return change["edits"]
    return workspace_edit.get("changes", {}).get(uri, [])
