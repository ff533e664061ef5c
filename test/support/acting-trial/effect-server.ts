import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { kindOf } from './tool-kinds';

/** How it treats a call. All but `refuse` and `gone` have their effect first. */
export const TREATMENTS = ['ok', 'slow', 'refuse', 'huge', 'broken', 'cut', 'gone', 'hang'] as const;

export type Treatment = (typeof TREATMENTS)[number];

/** A call of a tool, as it arrives. */
export interface EffectRequest {
  tool: string;
  what: string;
  how: Treatment;
  /** The idempotency key. */
  key: string;
}

/** How answers to calls are written. */
export interface Wire {
  told(receipt: string): string;
  refuse(response: ServerResponse): void;
}

const HTTP: Wire = {
  told: (receipt) => JSON.stringify({ receipt }),
  refuse: (response) => response.writeHead(409).end(),
};

const SLOW_MILLISECONDS = 150;
const HUGE_BYTES = 10_000_000;

/** What the tools of a service reach in the world outside: it counts what was done. */
export class EffectServer {
  /** All calls that came, in this order. */
  readonly calls: EffectRequest[] = [];
  /** What was done: once for each key where the tool is idempotent. */
  readonly effects: EffectRequest[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<EffectServer> {
    const server = createServer();
    const effects = new EffectServer(server);
    server.on('request', (request, response) => void effects.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return effects;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** What was done with this. */
  of(what: string): EffectRequest[] {
    return this.effects.filter((effect) => effect.what === what);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Does what a call wants, and tells of it, as well as it treats the call. */
  async treat(call: EffectRequest, response: ServerResponse, { told, refuse }: Wire): Promise<void> {
    this.calls.push(call);
    const { tool, what, how, key } = call;
    if (how === 'gone') {
      response.destroy();
      return;
    }
    if (how === 'refuse') {
      refuse(response);
      return;
    }
    if (!kindOf(tool).isIdempotent || !this.effects.some((effect) => effect.key === key)) {
      this.effects.push(call);
    }
    const receipt = `receipt of ${what}`;
    switch (how) {
      case 'hang':
        return;
      case 'cut':
        response.destroy();
        return;
      case 'broken':
        response.end(told(receipt).slice(0, 10));
        return;
      case 'huge':
        response.end(told(receipt + ' '.repeat(HUGE_BYTES)));
        return;
      case 'slow':
        await delay(SLOW_MILLISECONDS);
        break;
      case 'ok':
    }
    response.end(told(receipt));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) {
      text += String(part);
    }
    await this.treat(JSON.parse(text) as EffectRequest, response, HTTP);
  }
}
