import type { RegisteredTool } from './registered-tool';

/** A server that a request names by its address. Nobody has approved anything of it, so all its tools ask. */
export interface RemoteServer {
  label: string;
  url: string;
  /** Whether the request signed in with something, which is not kept. */
  hasSecret: boolean;
  tools: readonly RemoteTool[];
}

/** A tool as the server listed it for the request. */
export interface RemoteTool {
  /** What the model is told. */
  name: string;
  pin: string;
  definition: object;
}

/** Headers with which a request signs in at servers that it names, and at which: only in memory. */
export type RemoteSecrets = readonly { label: string; url: string; headers: Readonly<Record<string, string>> }[];

/** What a reply knows of such servers. */
export interface RemoteAccess {
  servers: readonly RemoteServer[];
  secrets: RemoteSecrets;
}

/** Makes tools of what such servers listed. */
export interface RemoteToolMaker {
  /** @param secret what the request at hand signs in with; null: nothing */
  toolOf(
    server: RemoteServer,
    tool: RemoteTool,
    caller: { userId: number | null; secret: RemoteSecrets[number] | null },
  ): RegisteredTool;
}
