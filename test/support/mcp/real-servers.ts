import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createMcpHandler, McpServer, z } from '../../clients/mcp-server';
import { eventually } from '../eventually';
import { startStdioBridge } from './stdio-bridge';

const PACKAGES = resolve(__dirname, '../../clients/node_modules/@modelcontextprotocol');

export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

/** The reference server with every feature, over Streamable HTTP. */
export async function startEverything(): Promise<RunningServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [`${PACKAGES}/server-everything/dist/index.js`, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  try {
    await eventually(async () => (await fetch(url).catch(() => null)) !== null);
  } catch (error) {
    child.kill();
    throw error;
  }
  return { url, close: () => Promise.resolve(void child.kill()) };
}

/** @param folder the only one that it may read and write */
export const startFilesystem = (folder: string): Promise<RunningServer> =>
  startStdioBridge(`${PACKAGES}/server-filesystem/dist/index.js`, [folder]);

export const startMemory = (file: string): Promise<RunningServer> =>
  startStdioBridge(`${PACKAGES}/server-memory/dist/index.js`, [], { MEMORY_FILE_PATH: file });

/** A server that supports only 2026-07-28. */
export async function startModern(): Promise<RunningServer & { notes: string[] }> {
  const notes: string[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      server.registerTool(
        'add',
        { description: 'Adds a note.', inputSchema: z.object({ note: z.string() }) },
        ({ note }) => {
          notes.push(note);
          return { content: [{ type: 'text', text: `There are ${notes.length} notes.` }] };
        },
      );
      return server;
    },
    { legacy: 'reject' },
  );
  const server = createServer((message, response) => {
    void (async () => {
      const body = message.method === 'POST' ? await buffer(message) : undefined;
      const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const request = new Request(`http://127.0.0.1${message.url}`, { method: message.method, headers, body });
      const answer = await handler.fetch(request);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, notes, close };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
