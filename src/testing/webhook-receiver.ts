import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { EventBody } from '../modules/webhook/catalogue/event-catalogue';

/** One request that arrived. */
export interface Delivery {
  path: string;
  id: string;
  headers: IncomingHttpHeaders;
  /** The raw body. */
  text: string;
  body: EventBody;
}

/** The receiver's answer; the default is 200. */
export type Answering = (delivery: Delivery, response: ServerResponse) => void;

/** A real HTTP server that receives webhooks, on a free port of 127.0.0.1. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  /** The number of TCP connections ever opened. */
  connections = 0;
  /** The number of requests being answered now, and its maximum. */
  open = 0;
  mostOpen = 0;
  answer: Answering = (_delivery, response) => void response.end('ok');
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.connections++;
      this.sockets.add(socket.on('close', () => this.sockets.delete(socket)));
    });
    server.on('request', (request, response) => void this.receive(request, response));
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>` and the path. */
  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The matching deliveries so far. */
  received(fits: (delivery: Delivery) => boolean = () => true): Delivery[] {
    return this.deliveries.filter(fits);
  }

  /** Resolves as soon as `count` matching deliveries have arrived. */
  async waitFor(count: number, fits: (delivery: Delivery) => boolean = () => true, seconds = 120): Promise<Delivery[]> {
    const deadline = Date.now() + seconds * 1_000;
    while (this.received(fits).length < count) {
      if (Date.now() > deadline) {
        throw new Error(`${this.received(fits).length} of ${count} deliveries came within ${seconds} s`);
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, 500);
        this.waiting.add(wake);
      });
    }
    return this.received(fits);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) {
      socket.destroy();
    }
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    response.on('close', () => this.open--);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        chunks.push(chunk);
      }
    } catch {
      return;
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const { url = '/', headers } = request;
    const delivery = {
      path: url,
      headers,
      id: String(headers['webhook-id']),
      text,
      body: JSON.parse(text) as EventBody,
    };
    this.deliveries.push(delivery);
    for (const wake of [...this.waiting]) {
      wake();
    }
    this.answer(delivery, response);
  }
}
