import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import type { ReplyPump } from './reply-pump';
import { ReplyTiming } from './reply-timing';

/** Keeps quiet connections alive, all of them with one timer. */
@Injectable()
export class ReplyPings implements OnApplicationShutdown {
  private readonly pumps = new Set<ReplyPump>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timing: ReplyTiming) {}

  add(pump: ReplyPump, response: Response): void {
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
