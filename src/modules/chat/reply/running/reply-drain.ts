import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Lifecycle } from '../../../../common/lifecycle';
import { AppConfig } from '../../../../config/app.config';
import { ReplyRegistry } from '../reply-registry';
import { ReplyTitler } from '../title/reply-titler';

/** Time for storing what was interrupted at the end of the grace period, in milliseconds. */
const LAST_WORDS_MILLISECONDS = 5_000;

/** Gives running replies the grace period to end by themselves; the others keep the text so far as `interrupted`. */
@Injectable()
export class ReplyDrain {
  constructor(
    private readonly config: AppConfig,
    private readonly registry: ReplyRegistry,
    private readonly titler: ReplyTitler,
    private readonly host: HttpAdapterHost,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(
      () => this.drain(),
      () => this.waitsFor(),
    );
  }

  private waitsFor(): string | null {
    const { size } = this.registry;
    const replies = size === 1 ? 'a running reply' : `${size} running replies`;
    return size === 0 ? null : `${replies} (${this.config.SHUTDOWN_GRACE_SECONDS} s at most)`;
  }

  private async drain(): Promise<void> {
    // A stream that ends now leaves a connection which its client keeps for more; the process would wait for it.
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.keepAliveTimeout = 1;
    await this.registry.drained(this.config.SHUTDOWN_GRACE_SECONDS * 1_000);
    for (const reply of this.registry.all()) {
      reply.abort('interrupted');
    }
    await this.registry.drained(LAST_WORDS_MILLISECONDS);
    await this.titler.finished();
  }
}
