// What the extension uses of the editor's and the client library's interface, as their reference documents it: enough for
// the compiler to check each use where the real declarations are not installed.
declare module "vscode" {
  export interface Disposable {
    dispose(): unknown;
  }
  export interface OutputChannel extends Disposable {
    show(preserveFocus?: boolean): void;
  }
  export interface WorkspaceConfiguration {
    get<T>(section: string): T | undefined;
    get<T>(section: string, defaultValue: T): T;
  }
  export interface ConfigurationChangeEvent {
    affectsConfiguration(section: string): boolean;
  }
  export interface ExtensionContext {
    readonly subscriptions: { dispose(): unknown }[];
  }
  export namespace workspace {
    function getConfiguration(section?: string): WorkspaceConfiguration;
    function onDidChangeConfiguration(listener: (event: ConfigurationChangeEvent) => unknown): Disposable;
  }
  export namespace commands {
    function registerCommand(command: string, callback: (...parameters: unknown[]) => unknown): Disposable;
  }
  export namespace window {
    function showErrorMessage(message: string, ...items: string[]): Thenable<string | undefined>;
  }
}

declare module "vscode-languageclient/node" {
  import { OutputChannel } from "vscode";
  export interface Executable {
    command: string;
    args?: string[];
  }
  export type ServerOptions = Executable | { run: Executable; debug: Executable };
  export interface LanguageClientOptions {
    documentSelector?: { scheme?: string; language?: string; pattern?: string }[];
    synchronize?: { configurationSection?: string | string[] };
    initializationOptions?: unknown;
  }
  export class LanguageClient {
    constructor(id: string, name: string, serverOptions: ServerOptions, clientOptions: LanguageClientOptions);
    readonly outputChannel: OutputChannel;
    start(): Promise<void>;
    stop(timeout?: number): Promise<void>;
  }
}

interface Thenable<T> extends PromiseLike<T> {}
