import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';

/** How long readers wait for a sign of life. In one place, so that tests can shorten it. */
@Injectable()
export class ReplyTiming {
  /** The head of a stream goes out so many milliseconds after its request, even while the model is silent. */
  head = 2_000;
  /** The same while a provider refuses: nobody knows yet whether the next attempt, or the next model, will speak. */
  refused = 15_000;
  /** Milliseconds between two pings. */
  ping = 10_000;
}

/** What writes to one connection. */
export interface Pinged {
  ping(): void;
}

/** Keeps quiet connections alive. One timer serves all of them. */
@Injectable()
export class ReplyPings implements OnApplicationShutdown {
  private readonly pumps = new Set<Pinged>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timing: ReplyTiming) {}

  add(pump: Pinged, response: Response): void {
    this.pumps.add(pump);
    response.on('close', () => this.pumps.delete(pump));
    this.timer ??= setInterval(() => this.pingAll(), this.timing.ping).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private pingAll(): void {
    for (const pump of this.pumps) {
      pump.ping();
    }
    if (this.pumps.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
