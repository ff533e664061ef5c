import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';

/** A received request and its time in milliseconds. */
export interface ScriptedRequest {
  route: string;
  key: string | undefined;
  body: unknown;
  at: number;
}

/** A server that records requests and returns scripted responses in order. The last response repeats. */
export class ScriptedServer {
  requests: ScriptedRequest[] = [];
  answers: RequestListener[] = [];
  baseUrl = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedServer> {
    const server = createServer();
    const scripted = new ScriptedServer(server);
    server.on('request', (request, response) => void scripted.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scripted.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return scripted;
  }

  /** Clears the recorded requests and sets the next responses. */
  script(...answers: RequestListener[]): void {
    this.requests = [];
    this.answers = answers;
  }

  get routes(): string[] {
    return this.requests.map(({ route }) => route);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = this.answers[Math.min(this.requests.length, this.answers.length - 1)];
    const [{ method, url, headers }, at] = [request, performance.now()];
    const seen = {
      route: `${method} ${url}`,
      key: headers['idempotency-key'] as string | undefined,
      body: undefined,
      at,
    };
    this.requests.push(seen);
    const isJson = headers['content-type'] === 'application/json';
    if (Number(headers['content-length'] ?? 0) > 0) {
      seen.body = (await (isJson ? json(request) : text(request))) as undefined;
    }
    answer?.(request, response);
  }
}

/** A successful response. */
export function good(body: object = { id: 1 }): RequestListener {
  return (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A failure in the service's format. */
export function refused(
  status: number,
  code: string,
  more: { details?: object; after?: string } = {},
): RequestListener {
  const body = JSON.stringify({ success: false, error: { code, message: 'No.', details: more.details ?? {} } });
  const headers = { 'content-type': 'application/json', ...(more.after && { 'retry-after': more.after }) };
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

/** Closes the connection without a response. */
export const cut: RequestListener = (request) => void request.socket.destroy();

/** Closes the connection in the middle of the response. */
export const cutInBody: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id":', () => request.socket.destroy());
};

/** Sends nothing and keeps the connection open. */
export const stalled: RequestListener = () => undefined;

/** Sends half of a response and keeps the connection open. */
export const stalledInBody: RequestListener = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
