import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

interface Message {
  id?: number | string;
  [member: string]: unknown;
}

/** An HTTP bridge to an unmodified stdio server: each message becomes a line, each line an answer. */
export async function startStdioBridge(file: string, parameters: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [file, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, { id: Message['id']; response: ServerResponse }>();
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    const asked = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    asked?.response.writeHead(200, { 'content-type': 'application/json' });
    asked?.response.end(JSON.stringify({ ...message, id: asked.id }));
  });
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) response.writeHead(202).end();
      else waiting.set(++last, { id: message.id, response });
      // Clients number their own requests, and several share the process.
      return child.stdin.write(`${JSON.stringify({ ...message, ...(message.id !== undefined && { id: last }) })}\n`);
    });
  });
  // The caller has a time limit, which must not be spent on the start of a process.
  child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"ping"}\n');
  await once(child.stdout, 'data');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    child.kill();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}
