import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import { gauge } from '../../../common/metrics/metrics';
import type { RunningReply } from './running-reply';

/** The replies that this process writes. */
@Injectable()
export class ReplyRegistry {
  /** This process, as the owner of its replies. */
  readonly ownerId: string;
  private readonly replies = new Map<number, RunningReply>();
  private whenEmpty: (() => void) | null = null;

  constructor(lifecycle: Lifecycle) {
    this.ownerId = lifecycle.instanceId;
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
