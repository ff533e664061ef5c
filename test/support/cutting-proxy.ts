import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Where a connection breaks: `unsent` before the service receives the request, `unanswered` when the service has
 * answered and the client has not read it, or after this number of events and then bytes, such as `2+15`.
 */
export type Cut = 'unsent' | 'unanswered' | `${number}+${number}`;

const HEADER = 'x-cut';

/** A proxy between a client and the service that breaks connections as the client's own header requests. */
export class CuttingProxy {
  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(target: string): Promise<CuttingProxy> {
    const server = createServer((incoming, outgoing) => pass(target, incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /**
   * A `fetch` whose streams break one after the other, each at the next position; after the last one they are complete.
   *
   * @param sent receives the method of each request for a stream
   */
  static fetch(cuts: Cut[], sent: string[] = []): typeof fetch {
    const left = [...cuts];
    return (input, init) => {
      const headers = new Headers(init?.headers);
      if (headers.get('accept') === 'text/event-stream') {
        sent.push(init?.method ?? 'GET');
        const cut = left.shift();
        if (cut !== undefined) headers.set(HEADER, cut);
      }
      return fetch(input, { ...init, headers });
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { [HEADER]: cut, host: _host, connection: _connection, ...headers } = incoming.headers;
  if (cut === 'unsent') {
    outgoing.destroy();
    return;
  }
  // Each request has its own connection: a reused one may just have been closed, which is another type of cut.
  const upstream = request(`${target}${incoming.url}`, { method: incoming.method, headers, agent: false });
  upstream.on('error', () => outgoing.destroy());
  upstream.on('response', (answer) => {
    if (cut === 'unanswered') {
      outgoing.destroy();
      upstream.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    let all = Buffer.alloc(0);
    let written = 0;
    const write = (bytes: Buffer): void => {
      all = Buffer.concat([all, bytes]);
      const end = placeOf(all, String(cut));
      outgoing.write(all.subarray(written, end));
      written = Math.min(end, all.length);
      if (end > all.length) return;
      answer.off('data', write);
      // Everything already written reaches the client first.
      outgoing.socket?.end();
      upstream.destroy();
    };
    answer.on('data', cut === undefined ? (bytes: Buffer) => outgoing.write(bytes) : write);
    if (cut !== undefined) write(all);
    answer.on('end', () => outgoing.end());
    answer.on('error', () => outgoing.destroy());
  });
  incoming.pipe(upstream);
  outgoing.on('close', () => upstream.destroy());
}

/** The first byte that is not sent; infinite until the events before it have arrived. */
function placeOf(stream: Buffer, cut: string): number {
  const [events = 0, bytes = 0] = cut.split('+').map(Number);
  let place = 0;
  for (let event = 0; event < events; event += 1) {
    const end = stream.indexOf('\n\n', place);
    if (end < 0) return Infinity;
    place = end + 2;
  }
  return place + bytes;
}
