import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Lifecycle } from '../../../common/lifecycle';
import { gauge } from '../../../common/metrics/metrics';
import { AppConfig } from '../../../config/app.config';
import { ReplyTables } from '../reply/reply-origin';
import type { RunningReply } from '../reply/running-reply';

/** The replies that this process writes. */
@Injectable()
export class ReplyRegistry {
  /** Identifies this process in the database during its lifetime. */
  readonly ownerId = randomUUID();
  private readonly replies = new Map<number, RunningReply>();
  private whenEmpty: (() => void) | null = null;

  constructor() {
    gauge('replies_running', 'Replies that this process is writing', () => this.size);
  }

  get size(): number {
    return this.replies.size;
  }

  add(reply: RunningReply): void {
    this.replies.set(reply.messageId, reply);
  }

  get(messageId: number): RunningReply | undefined {
    return this.replies.get(messageId);
  }

  all(): IterableIterator<RunningReply> {
    return this.replies.values();
  }

  remove(reply: RunningReply): void {
    // This process may already have resumed the same reply.
    if (this.replies.get(reply.messageId) === reply) {
      this.replies.delete(reply.messageId);
    }
    if (this.replies.size === 0) {
      this.whenEmpty?.();
    }
  }

  /** Resolves when no reply is left, or after the given time in milliseconds. */
  async drained(milliseconds: number): Promise<void> {
    if (this.replies.size === 0) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Time to store replies that were interrupted at the end of the grace period. */
const LAST_WORDS_MILLISECONDS = 5_000;

/** Handles a shutdown: running replies may finish within the grace period. The others end as `interrupted`. */
@Injectable()
export class ReplyDrain {
  constructor(
    private readonly config: AppConfig,
    private readonly registry: ReplyRegistry,
    private readonly places: ReplyTables,
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
    // After its stream, a client keeps the connection for later requests. The process must not wait for that.
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.keepAliveTimeout = 1;
    const grace = this.config.SHUTDOWN_GRACE_SECONDS * 1_000;
    // The server would otherwise wait forever for readers of a reply whose end cannot be stored, for clients that sent
    // half a request, and for clients that read no response.
    const timer = setTimeout(() => server.closeAllConnections(), grace + LAST_WORDS_MILLISECONDS).unref();
    server.once('close', () => clearTimeout(timer));
    await this.registry.drained(grace);
    for (const reply of this.registry.all()) {
      reply.abort('interrupted');
    }
    await this.registry.drained(LAST_WORDS_MILLISECONDS);
    await Promise.all(this.places.all.map((place) => place.settled()));
  }
}
