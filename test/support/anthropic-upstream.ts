import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface UpstreamRequest {
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** Resolves when the connection closes. */
  closed: Promise<void>;
}

type Act = (response: ServerResponse, request: UpstreamRequest) => void | Promise<void>;

/** Usage without cached tokens. */
export const PLAIN_USAGE = { input_tokens: 12, output_tokens: 5 };

/** An Anthropic provider whose responses tests write byte for byte. */
export class AnthropicUpstream {
  readonly requests: UpstreamRequest[] = [];
  /** The next responses; afterwards each request gets a short message. */
  readonly acts: Act[] = [];
  private readonly arrivals: ((request: UpstreamRequest) => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response));
  }

  static async start(): Promise<AnthropicUpstream> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AnthropicUpstream(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get last(): UpstreamRequest {
    const request = this.requests.at(-1);
    if (request === undefined) {
      throw new Error('The provider got no request.');
    }
    return request;
  }

  /** The next request that arrives. */
  nextRequest(): Promise<UpstreamRequest> {
    return new Promise((resolve) => this.arrivals.push(resolve));
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
    const { url = '', headers, method } = request;
    if (method === 'GET') {
      // The service reads the list of models of each new provider.
      json({ data: [] })(response);
      return;
    }
    const closed = once(response, 'close').then(() => undefined);
    const received = { path: url, headers, bytes: Buffer.concat(parts), closed };
    this.requests.push(received);
    this.arrivals.shift()?.(received);
    await (this.acts.shift() ?? answerShortly)(response, received);
  }
}

function answerShortly(response: ServerResponse, { path, bytes }: UpstreamRequest): void {
  if (path.includes('/count_tokens')) {
    json({ input_tokens: 21 })(response);
    return;
  }
  const { stream, model } = JSON.parse(bytes.toString()) as { stream?: boolean; model: string };
  if (stream === true) {
    events(messageEvents({ model }))(response);
  } else {
    json(message({ model }))(response);
  }
}

/** Answers with JSON. */
export function json(body: object | string, status = 200, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    response
      .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_upstream', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers with a stream. */
export function events(text: string) {
  return (response: ServerResponse): void => {
    head(response);
    response.end(text);
  };
}

/** Sends the head of a stream. */
export function head(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_upstream' });
}

interface Said {
  model?: string;
  text?: string;
  usage?: object;
}

export function message({ model = 'claude-test', text = 'Hello!', usage = PLAIN_USAGE }: Said): object {
  const content = [{ type: 'text', text, citations: null }];
  const stop = { stop_reason: 'end_turn', stop_sequence: null };
  return { id: 'msg_01upstream', type: 'message', role: 'assistant', model, content, ...stop, usage };
}

/** The events of a message, as Anthropic writes them. */
export function messageEvents({ model = 'claude-test', text = 'Hello!', usage = PLAIN_USAGE }: Said): string {
  const { output_tokens: output = 0, ...input } = usage as { output_tokens?: number };
  const start = { ...(message({ model }) as { content: unknown }), content: [], stop_reason: null };
  return [
    event({ type: 'message_start', message: { ...start, usage: { ...input, output_tokens: 1 } } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'ping' }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    event({ type: 'something_new', index: 0, é: ['\u2028'] }),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...input, output_tokens: output },
    }),
    event({ type: 'message_stop' }),
  ].join('');
}

export function event(data: { type: string; [name: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
