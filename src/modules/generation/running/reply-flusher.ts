import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { ReplyGrowth, ReplyPieces } from '../pieces/reply-pieces';
import { isPassingFault } from '../reply/reply-failure';
import { ReplyRegistry } from '../reply/reply-registry';
import type { RunningReply } from '../reply/running-reply';

/** A crash loses at most this many bytes of a reply, or the text of this period. */
const MOST_UNFLUSHED_BYTES = 4_096;
const FLUSH_MILLISECONDS = 1_500;

/**
 * Replies per transaction, and their bytes. A commit per reply would be too many; a single commit would block the event
 * loop.
 */
const BATCH = 50;
const BATCH_BYTES = 262_144;

/** Writes the text and reasoning of running replies to the database while they grow. One timer serves all replies. */
@Injectable()
export class ReplyFlusher implements OnApplicationShutdown {
  private readonly logger = new Logger(ReplyFlusher.name);
  private timer: NodeJS.Timeout | undefined;
  private urgent = new Set<RunningReply>();
  /**
   * Replies whose text the database rejects. Text that was written before stays. The end of the reply reports the
   * fault.
   */
  private readonly refused = new WeakSet<RunningReply>();
  private isFlushing = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
    private readonly pieces: ReplyPieces,
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

  /** Call it for data that a crash must not lose. */
  soon(reply: RunningReply): void {
    reply.unflushedBytes = 0;
    this.urgent.add(reply);
    if (this.urgent.size === 1) {
      setImmediate(() => void this.flush([]));
    }
  }

  /** Waits until a reply that does not grow is completely in the database. @throws temporary faults */
  async written(reply: RunningReply): Promise<void> {
    while (isUnflushed(reply) && !this.refused.has(reply)) {
      if (this.isFlushing) {
        await delay(5);
      } else {
        this.isFlushing = true;
        try {
          await this.writeAll([reply]);
        } finally {
          this.isFlushing = false;
        }
      }
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
      for (const batch of batchesOf(due)) {
        await this.writeAll(batch);
        // Text that exceeds one piece goes into the next one.
        batch.filter((reply) => this.isDue(reply) && reply.isFarAhead).forEach((reply) => this.urgent.add(reply));
        await nextTurn();
      }
    }
  }

  private isDue(reply: RunningReply): boolean {
    return isUnflushed(reply) && !this.refused.has(reply);
  }

  /** If the database rejects the batch, writes each reply alone, so that only the faulty one fails. */
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
    const growths = replies.filter(isUnflushed).map((reply) => new ReplyGrowth(reply));
    const updatedAt = this.clock.now();
    await this.database.write(async (manager) => {
      for (const growth of growths) {
        if (await this.isOwn(manager, growth.reply)) {
          await growth.write(manager, this.pieces, updatedAt);
        }
      }
    });
    for (const growth of growths) {
      growth.done();
    }
  }

  /** Whether this instance still has the reply. Otherwise its text would be mixed into that of another instance. */
  private async isOwn(manager: EntityManager, reply: RunningReply): Promise<boolean> {
    if (await reply.driver.holds(manager, reply)) {
      return true;
    }
    reply.abort('interrupted');
    return false;
  }
}

function isUnflushed(reply: RunningReply): boolean {
  const { end, words, thoughts, flushedLength, flushedReasoning, flushedSteps, steps, origin } = reply;
  const isLonger = flushedLength + flushedReasoning < words.length + thoughts.length;
  const hasSteps = steps !== null && origin.keepsSteps && flushedSteps < steps.length;
  return end === null && (isLonger || hasSteps || reply.spent !== reply.flushedSpent);
}

function batchesOf(replies: readonly RunningReply[]): RunningReply[][] {
  const batches: RunningReply[][] = [];
  let bytes = Infinity;
  for (const reply of replies) {
    if (bytes >= BATCH_BYTES || (batches.at(-1)?.length ?? 0) >= BATCH) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(reply);
    bytes += reply.words.length - reply.flushedLength + reply.thoughts.length - reply.flushedReasoning;
  }
  return batches;
}
