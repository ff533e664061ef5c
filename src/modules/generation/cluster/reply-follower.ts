import { Injectable, Logger } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import { AppConfig } from '../../../config/app.config';
import { Database } from '../../../database/database';
import { OpenActions } from '../actions/shown-action';
import { ReplyEndStore } from '../ending/reply-end.store';
import type { ReplyPieceEntity } from '../pieces/reply-piece.entity';
import { ReplyPieces } from '../pieces/reply-pieces';
import { LiveReply } from '../reply/live-reply';
import { ELSEWHERE, type ReplyEnd } from '../reply/reply-end';
import { ReplyKnowledge } from '../reply/reply-knowledge';
import type { FoundReply, ReplyTable } from '../reply/reply-origin';
import type { StoredReply } from '../reply/reply-row';
import { type ReplyStep, stepsOf, takeSteps } from '../reply/reply-steps';
import { InstanceChannels, type ReplyNews } from './reply-relay';

/** Poll interval. Without Redis the database is the only source; with Redis it fills gaps. */
const POLL_MILLISECONDS = 500;

/** Polls without a reader before following ends. A request that has found the reply may not have started to read it. */
const MOST_UNATTENDED = 4;

/** Follows replies that another instance writes. All readers here share one view of each reply. */
@Injectable()
export class ReplyFollower {
  private readonly logger = new Logger(ReplyFollower.name);
  private readonly followed = new Map<number, FollowedReply>();

  constructor(
    private readonly database: Database,
    private readonly replyEnds: ReplyEndStore,
    private readonly channels: InstanceChannels,
    private readonly pieces: ReplyPieces,
    private readonly actions: OpenActions,
    private readonly config: AppConfig,
    private readonly knowledge: ReplyKnowledge,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => this.leave());
  }

  /** @param found its row, with all text flushed so far */
  follow(found: FoundReply): LiveReply {
    const { row } = found;
    const known = this.followed.get(row.id);
    if (known) {
      return known;
    }
    const steps = row.steps === null ? null : [];
    const reply = new FollowedReply(row.chatId, row.parentId ?? 0, row.id, steps);
    takeStored(reply, row);
    this.followed.set(row.id, reply);
    void this.run(reply, found.place);
    return reply;
  }

  /**
   * At a shutdown, closes the connections of readers after the grace period, so that they continue on another instance.
   * The server would otherwise wait for them.
   */
  private async leave(): Promise<void> {
    const read = [...this.followed.values()].filter((reply) => reply.hasReaders || reply.hasListeners);
    await Promise.all(read.map((reply) => reply.endsWithin(this.config.SHUTDOWN_GRACE_SECONDS * 1_000)));
    read.filter(({ end }) => end === null).forEach((reply) => reply.finish(ELSEWHERE));
  }

  private async run(reply: FollowedReply, place: ReplyTable): Promise<void> {
    const subscription = this.channels.listen(reply.messageId, (news) => {
      applyNews(reply, news);
      if (news.asksAnew) {
        void this.lookAtQuestions(reply);
      }
    });
    await subscription.active;
    const { messageId, words, thoughts, steps } = reply;
    this.channels.requestNews(messageId, words.length, thoughts.length, steps?.length ?? 0);
    let unattended = 0;
    do {
      await reply.pause(POLL_MILLISECONDS);
      await this.look(reply, place);
      unattended = reply.hasReaders || reply.hasListeners ? 0 : unattended + 1;
    } while (reply.end === null && unattended < MOST_UNATTENDED);
    this.followed.delete(reply.messageId);
    subscription.close();
  }

  /** Reads the open questions of MCP servers in running calls. Other questions come with the end of the reply. */
  private async lookAtQuestions(reply: FollowedReply): Promise<void> {
    try {
      const open = (await this.actions.ofReply(reply.messageId)).filter(({ call }) => call.state === 'running');
      reply.openQuestions = reply.openQuestions.filter(({ action }) =>
        open.some((other) => other.action.id === action.id),
      );
      open.forEach((shown) => reply.sendAside({ kind: 'question', shown }));
    } catch (error) {
      this.logger.debug({ message_id: reply.messageId, error }, 'Questions of another instance could not be read.');
    }
  }

  private async look(reply: FollowedReply, place: ReplyTable): Promise<void> {
    try {
      // Pieces are read before the row, which then has all text before them.
      const pieces = reply.steps === null ? await this.pieces.from(reply.messageId, reply.nextPiece) : [];
      const row = await this.database.repository(place.entity).findOneBy({ id: reply.messageId });
      if (row === null) {
        reply.finish(GONE);
        return;
      }
      if (reply.steps !== null) {
        await this.pieces.complete(place.entity, [row]);
        await this.knowledge.fillRows(() => place.ownerOf(row), [row]);
      }
      takeStored(reply, row);
      reply.extendByPieces(pieces);
      const end = await this.replyEnds.endOf(place, row);
      if (end !== null) {
        reply.finish(end);
      }
    } catch (error) {
      this.logger.debug({ message_id: reply.messageId, error }, 'A reply of another instance could not be read.');
    }
  }
}

function takeStored(reply: FollowedReply, row: StoredReply): void {
  if (reply.steps !== null) {
    reply.extendSteps(0, stepsOf(row) ?? []);
    return;
  }
  reply.extendReasoning(0, row.reasoning ?? '');
  reply.extend(0, row.content);
}

/** Applies news from another instance to the reply. */
export function applyNews(reply: FollowedReply, news: ReplyNews): void {
  const { offset, text, reasoningOffset = 0, reasoning = '', step = 0, steps = [], hasEnded } = news;
  if (reply.steps === null) {
    reply.extendReasoning(reasoningOffset, reasoning);
    reply.extend(offset, text);
  } else {
    reply.extendSteps(step, steps);
  }
  if (news.isAlive && reply.end === null) {
    reply.showLife();
  }
  if (news.isAskedAgain) {
    reply.isRefused = true;
    reply.showRetry();
  } else if (news.isRefused) {
    reply.showRefusal();
  }
  if (news.progress && reply.end === null) {
    reply.sendAside(news.progress);
  }
  if (hasEnded) {
    reply.wake();
  }
}

/** The end of a reply that was erased while a client read it. */
const GONE: ReplyEnd = { status: 'stopped', finishReason: 'cancelled', usage: null, failure: null, title: null };

/** A reply that another instance writes, as far as this instance knows it. */
export class FollowedReply extends LiveReply {
  /** Index of the first piece that was not read yet. */
  nextPiece = 0;
  private wakeUp: (() => void) | null = null;

  /** Adds a piece of text. Drops the known part, and a piece that would leave a gap. */
  extend(offset: number, text: string): void {
    const added = this.end === null ? newPart(this.words.length, offset, text) : '';
    if (added !== '') {
      this.append(added);
    }
  }

  /** Like `extend`, for the reasoning. */
  extendReasoning(offset: number, text: string): void {
    const added = this.end === null ? newPart(this.thoughts.length, offset, text) : '';
    if (added !== '') {
      this.reason(added);
    }
  }

  /** Adds pieces in order, from `nextPiece` on. A piece that would leave a gap is read again later. */
  extendByPieces(pieces: readonly ReplyPieceEntity[]): void {
    for (const { number, textOffset, content, reasoningOffset, reasoning } of pieces) {
      if (textOffset > this.words.length || reasoningOffset > this.thoughts.length) {
        return;
      }
      this.extendReasoning(reasoningOffset, reasoning);
      this.extend(textOffset, content);
      this.nextPiece = number + 1;
    }
  }

  /** Like `extend`, for a reply with steps: adds the unknown ones, and none that would leave a gap. */
  extendSteps(from: number, steps: readonly ReplyStep[]): void {
    if (this.end === null) {
      takeSteps(this, steps, from);
    }
  }

  /** Waits for the given milliseconds, or until `wake`. */
  async pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = null;
  }

  wake(): void {
    this.wakeUp?.();
  }
}

/** The unknown part of a piece. Empty when it would leave a gap. */
function newPart(known: number, offset: number, piece: string): string {
  const overlap = known - offset;
  return overlap < 0 ? '' : piece.slice(overlap);
}
