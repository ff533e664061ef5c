import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundLoop, BackgroundLoopOptions } from '../common/background/background-loop';
import { Lifecycle } from '../common/lifecycle';
import { Database } from './database';

/** The loops that work on the data. They start when the database is ready and end when the process drains. */
@Injectable()
export class BackgroundWork implements OnApplicationBootstrap {
  private readonly loops: BackgroundLoop[] = [];

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => Promise.all(this.loops.map((loop) => loop.stop())));
  }

  /** Call it in a constructor. A long step checks with `Lifecycle` between its parts whether it may continue. */
  add(options: BackgroundLoopOptions): BackgroundLoop {
    const loop = new BackgroundLoop(options);
    this.loops.push(loop);
    return loop;
  }

  onApplicationBootstrap(): void {
    void this.startWhenReady();
  }

  private async startWhenReady(): Promise<void> {
    try {
      await this.database.whenReady();
    } catch {
      // The database never became ready, and the process ends.
      return;
    }
    if (!this.lifecycle.isDraining) {
      this.loops.forEach((loop) => loop.start());
    }
  }
}
