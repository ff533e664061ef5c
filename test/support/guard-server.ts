import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A call of the guard port. */
export interface GuardCall {
  text: string;
  headers: IncomingHttpHeaders;
  body: {
    stage: string;
    part: string;
    mode: string;
    text: string;
    agent: { id: number; name: string } | null;
    groups: string[];
    user: string;
    chat_id: number | null;
    message_id: number | null;
    offset: number;
    final: boolean;
  };
}

/** Answers a call: an answer of the port, or the response itself. */
type Script = (call: GuardCall, response: ServerResponse) => object | undefined;

/** A guard over HTTP whose answers tests write. */
export class ScriptedGuard {
  readonly calls: GuardCall[] = [];
  connections = 0;
  script: Script = () => ({ action: 'allow' });
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  static async start(): Promise<ScriptedGuard> {
    const guard = new ScriptedGuard();
    guard.server.on('connection', (socket) => {
      guard.connections++;
      guard.sockets.add(socket);
      socket.once('close', () => guard.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => guard.server.listen(0, '127.0.0.1', resolve));
    return guard;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/check`;
  }

  /** The texts of the calls, in order. */
  get texts(): string[] {
    return this.calls.map(({ body }) => body.text);
  }

  /** Finds a text in code points, as guards in Python do. */
  findsEach(found: string, type: string, action = 'mask'): void {
    this.script = ({ body }) => {
      const spans: object[] = [];
      for (let start = body.text.indexOf(found); start >= 0; start = body.text.indexOf(found, start + 1)) {
        const from = [...body.text.slice(0, start)].length;
        spans.push({ start: from, end: from + [...found].length, type });
      }
      return spans.length > 0 ? { action, spans } : { action: 'allow' };
    };
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString();
    const call = { text, headers: request.headers, body: JSON.parse(text) as GuardCall['body'] };
    this.calls.push(call);
    const answer = this.script(call, response);
    if (answer !== undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    }
  }
}
