// Starts the language server `cuwarp-lint lsp`; everything else is the server's.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

const languages = ["cuda-cpp", "cuda", "cpp", "c"];
let client: LanguageClient | undefined;

function createClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("cuwarp-lint");
  const server: ServerOptions = {
    command: settings.get<string>("path") || "cuwarp-lint",
    args: ["lsp", ...(settings.get<string[]>("args") || [])],
  };
  const options: LanguageClientOptions = {
    documentSelector: languages.flatMap((language) => [
      { scheme: "file", language },
      { scheme: "untitled", language },
    ]),
    synchronize: { configurationSection: "cuwarp-lint" },
  };
  return new LanguageClient("cuwarp-lint", "cuwarp-lint", server, options);
}

async function start(): Promise<void> {
  if (!vscode.workspace.getConfiguration("cuwarp-lint").get<boolean>("enable", true)) {
    return;
  }
  client = createClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(`cuwarp-lint could not be started (see cuwarp-lint.path): ${error}`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("cuwarp-lint.restart", restart),
    vscode.commands.registerCommand("cuwarp-lint.showOutput", () => client?.outputChannel.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const keys = ["cuwarp-lint.path", "cuwarp-lint.args", "cuwarp-lint.enable"];
      return keys.some((key) => change.affectsConfiguration(key)) ? restart() : undefined;
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
