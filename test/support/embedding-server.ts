import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with a request. */
export type EmbeddingAct = (
  | {
      kind: 'answer';
      vector?: (text: string) => unknown;
      usage?: boolean;
      format?: 'float' | 'base64';
      missing?: number;
    }
  | { kind: 'status'; status: number }
  | { kind: 'stall' }
  | { kind: 'cut' }
  | { kind: 'text'; text: string }
) & { until?: Promise<unknown> };

interface EmbeddingBody {
  model: string;
  input: string | string[];
  dimensions?: number;
}

const LENGTH = 16;

/** An embedding model in which texts with the same words are near to each other. */
export class EmbeddingServer {
  readonly requests: EmbeddingBody[] = [];
  /** The next acts; afterwards each request is answered. */
  readonly acts: EmbeddingAct[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response));
  }

  static async start(): Promise<EmbeddingServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EmbeddingServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** All texts that were sent, in their order. */
  get texts(): string[] {
    return this.requests.flatMap(({ input }) => input);
  }

  /** Closes all connections, also those of requests that wait. */
  cut(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) {
      parts.push(part);
    }
    if (!request.url?.endsWith('/embeddings')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
      return;
    }
    const body = JSON.parse(Buffer.concat(parts).toString()) as EmbeddingBody;
    this.requests.push(body);
    const act = this.acts.shift() ?? { kind: 'answer' };
    await act.until;
    this.answer(act, body, response);
  }

  private answer(act: EmbeddingAct, body: EmbeddingBody, response: ServerResponse): void {
    switch (act.kind) {
      case 'stall':
        return;
      case 'cut':
        response.socket?.destroy();
        return;
      case 'status':
        response.writeHead(act.status, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
        return;
      case 'text':
        response.writeHead(200).end(act.text);
        return;
      case 'answer':
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerOf(act, body)));
    }
  }
}

function answerOf(
  { vector = vectorFor, usage = true, format = 'base64', missing = 0 }: Extract<EmbeddingAct, { kind: 'answer' }>,
  { model, input, dimensions = LENGTH }: EmbeddingBody,
): object {
  const texts = [input].flat();
  const data = texts.slice(missing).map((text, index) => {
    const made = vector === vectorFor ? vectorFor(text, dimensions) : vector(text);
    const embedding =
      format === 'base64' && made instanceof Float32Array ? Buffer.from(made.buffer).toString('base64') : made;
    return { object: 'embedding', index, embedding: embedding instanceof Float32Array ? [...embedding] : embedding };
  });
  const tokens = texts.length * 10;
  return { object: 'list', model, data, ...(usage && { usage: { prompt_tokens: tokens, total_tokens: tokens } }) };
}

/** Counts words by a hash of each. */
export function vectorFor(text: string, length = LENGTH): Float32Array {
  const vector = new Float32Array(length).fill(0.01);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    const place = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7) % length;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
