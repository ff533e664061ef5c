import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { kindOf } from './tool-kinds';

/** How the server handles a call. All except `refuse` and `gone` have their effect first. */
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

/** Writes answers to calls. */
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

/** The external effects of a service's tools, counted. */
export class EffectServer {
  /** All received calls, in order. */
  readonly calls: EffectRequest[] = [];
  /** The effects: one for each key if the tool is idempotent. */
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

  /** The number of effects for this input. */
  of(what: string): EffectRequest[] {
    return this.effects.filter((effect) => effect.what === what);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Performs the effect of a call, and answers it as the call demands. */
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
