import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import type { ReplyPump } from './reply-pump';

const PING_MILLISECONDS = 10_000;

/** Keeps quiet connections alive, all of them with one timer. */
@Injectable()
export class ReplyPings implements OnApplicationShutdown {
  private readonly pumps = new Set<ReplyPump>();
  private timer: NodeJS.Timeout | undefined;

  add(pump: ReplyPump, response: Response): void {
    this.pumps.add(pump);
    response.on('close', () => this.pumps.delete(pump));
    this.timer ??= setInterval(() => this.pingAll(), PING_MILLISECONDS).unref();
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
