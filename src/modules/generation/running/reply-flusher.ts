import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/statements/update';
import { isPassingFault } from '../reply/reply-failure';
import { storedSteps } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import { ReplyRegistry } from './reply-registry';

/** A crash may lose this many bytes of a reply, or the text of this time. */
const MOST_UNFLUSHED_BYTES = 4_096;
const FLUSH_MILLISECONDS = 1_500;

/** Replies in one transaction. One commit per reply would be too many; one for all replies would block the event loop. */
const BATCH = 50;

/** Writes text and reasoning of running replies to the database while they grow. One timer serves all replies. */
@Injectable()
export class ReplyFlusher implements OnApplicationShutdown {
  private readonly logger = new Logger(ReplyFlusher.name);
  private timer: NodeJS.Timeout | undefined;
  private urgent = new Set<RunningReply>();
  /** Replies whose text the database refuses. What was written before stays; the end of the reply reports the fault. */
  private readonly refused = new WeakSet<RunningReply>();
  private isFlushing = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
  ) {}

  /** Call it when a reply starts. */
  watch(): void {
    this.timer ??= setInterval(() => void this.flush([...this.registry.all()]), FLUSH_MILLISECONDS).unref();
  }

  /** Call it for each piece of text or reasoning. */
  grown(reply: RunningReply, text: string): void {
    reply.unflushedBytes += Buffer.byteLength(text);
    if (reply.unflushedBytes >= MOST_UNFLUSHED_BYTES) {
      this.soon(reply);
    }
  }

  /** Call it for what a crash must not lose. */
  soon(reply: RunningReply): void {
    reply.unflushedBytes = 0;
    this.urgent.add(reply);
    if (this.urgent.size === 1) {
      setImmediate(() => void this.flush([]));
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async flush(replies: RunningReply[]): Promise<void> {
    if (this.registry.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    if (this.isFlushing) {
      return;
    }
    this.isFlushing = true;
    try {
      await this.flushAll(replies);
    } catch (error) {
      this.logger.warn({ error }, 'Running replies could not be written; the next attempt follows.');
    } finally {
      this.isFlushing = false;
    }
  }

  private async flushAll(replies: RunningReply[]): Promise<void> {
    for (let next = replies; next.length > 0 || this.urgent.size > 0; next = []) {
      const due = [...new Set([...next, ...this.urgent])].filter((reply) => this.isDue(reply));
      this.urgent = new Set();
      for (let start = 0; start < due.length; start += BATCH) {
        await this.writeAll(due.slice(start, start + BATCH));
        await nextTurn();
      }
    }
  }

  private isDue(reply: RunningReply): boolean {
    return isUnflushed(reply) && !this.refused.has(reply);
  }

  /** When the database refuses one reply's text, the others are still written, each alone. */
  private async writeAll(replies: RunningReply[]): Promise<void> {
    try {
      await this.write(replies);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      for (const reply of replies) {
        await this.writeAlone(reply);
      }
    }
  }

  private async writeAlone(reply: RunningReply): Promise<void> {
    try {
      await this.write([reply]);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      this.refused.add(reply);
      this.logger.warn({ message_id: reply.messageId, error }, 'The text of a running reply cannot be written.');
    }
  }

  private async write(replies: RunningReply[]): Promise<void> {
    const flushed = replies.filter(isUnflushed).map((reply) => {
      reply.unflushedBytes = 0;
      const { text: content, reasoning, steps, spent } = reply;
      return {
        reply,
        content,
        reasoning,
        steps: steps?.length ?? 0,
        spent,
        stored: reply.origin.keepsSteps ? storedSteps(reply) : {},
      };
    });
    const updatedAt = this.clock.now();
    await this.database.write(async (manager) => {
      for (const { reply, content, reasoning, spent, stored } of flushed) {
        const changes = {
          updatedAt,
          ...stored,
          ...(spent !== null && { tokenUsage: spent }),
          ...(content.length > reply.flushedLength && { content }),
          ...(reasoning.length > reply.flushedReasoning && { reasoning }),
        };
        const { entity } = reply.origin.place;
        await updateRows(manager, entity, changes, "id = ? AND status = 'streaming'", [reply.messageId]);
      }
    });
    for (const { reply, content, reasoning, steps, spent } of flushed) {
      reply.flushedLength = content.length;
      reply.flushedReasoning = reasoning.length;
      reply.flushedSteps = steps;
      reply.flushedSpent = spent;
    }
  }
}

function isUnflushed(reply: RunningReply): boolean {
  const { end, text, reasoning, flushedLength, flushedReasoning, flushedSteps, steps, origin } = reply;
  const isLonger = flushedLength + flushedReasoning < text.length + reasoning.length;
  const hasSteps = steps !== null && origin.keepsSteps && flushedSteps < steps.length;
  return end === null && (isLonger || hasSteps || reply.spent !== reply.flushedSpent);
}
