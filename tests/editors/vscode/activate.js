// Runs the compiled extension with stand-ins for the editor and the client library, and prints what happened as JSON.
//
//     node activate.js EXTENSION_JS SERVER
//
// The stand-in of the client starts the command that the extension names and exchanges `initialize` with it.
const { spawn } = require("node:child_process");
const Module = require("node:module");

const [extension, server] = process.argv.slice(2);
const seen = { started: [], stopped: 0, errors: [], shown: 0, commands: [] };
const settings = { "cuwarp-lint": { path: server, args: ["-q"], enable: true } };
const commands = {};
const listeners = [];

function frame(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function firstAnswer(process) {
  return new Promise((resolve, reject) => {
    let text = "";
    process.on("error", reject);
    process.on("exit", () => reject(new Error("the server ended")));
    process.stdout.on("data", (chunk) => {
      text += chunk;
      const head = /Content-Length: (\d+)[^]*?\r\n\r\n/.exec(text);
      if (head && Buffer.byteLength(text.slice(head.index + head[0].length)) >= Number(head[1])) {
        resolve(JSON.parse(text.slice(head.index + head[0].length).slice(0, Number(head[1]))));
      }
    });
  });
}

class LanguageClient {
  constructor(id, name, serverOptions, clientOptions) {
    Object.assign(this, { id, name, serverOptions, clientOptions });
    this.outputChannel = { show: () => (seen.shown += 1) };
  }

  async start() {
    const { command, args } = this.serverOptions;
    this.process = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    const answer = firstAnswer(this.process);
    this.process.stdin.on("error", () => {});
    this.process.stdin.write(frame({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } }));
    const { result } = await answer;
    seen.started.push({ args, server: result.serverInfo.name, selector: this.clientOptions.documentSelector });
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.stdin.end(frame({ id: 2, method: "shutdown" }) + frame({ method: "exit" }));
    await ended;
    seen.stopped += 1;
  }
}

const register = (list) => (listener) => list.push(listener) && { dispose() {} };
const stand_ins = {
  vscode: {
    workspace: {
      getConfiguration: (section) => ({ get: (key, value) => settings[section][key] ?? value }),
      onDidChangeConfiguration: register(listeners),
    },
    commands: { registerCommand: (name, act) => (commands[name] = act) && { dispose() {} } },
    window: { showErrorMessage: async (text) => void seen.errors.push(text) },
  },
  "vscode-languageclient/node": { LanguageClient },
};
const load = Module._load;
Module._load = (name, ...rest) => stand_ins[name] ?? load(name, ...rest);

const change = (...keys) => Promise.all(listeners.map((f) => f({ affectsConfiguration: (key) => keys.includes(key) })));

async function main() {
  const context = { subscriptions: [] };
  const { activate, deactivate } = require(extension);
  await activate(context);
  seen.commands = Object.keys(commands);
  seen.kept = context.subscriptions.length;
  await commands["cuwarp-lint.showOutput"]();
  await commands["cuwarp-lint.restart"]();
  await change("editor.fontSize");
  seen.before = seen.started.length;
  settings["cuwarp-lint"].args = [];
  await change("cuwarp-lint.args");
  settings["cuwarp-lint"].enable = false;
  await change("cuwarp-lint.enable");
  seen.disabled = { started: seen.started.length, stopped: seen.stopped };
  Object.assign(settings["cuwarp-lint"], { enable: true, path: "/no/such/program" });
  await change("cuwarp-lint.path");
  settings["cuwarp-lint"].path = server;
  await change("cuwarp-lint.path");
  await deactivate();
  console.log(JSON.stringify(seen));
}

main();
