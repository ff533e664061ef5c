import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { GenerationInProgressError } from '../chat.errors';
import type { CountedTexts } from '../reply/counted-texts';
import { ReplyStopper } from '../reply/elsewhere/reply-stopper';
import { PromptBuilder } from '../reply/prompt-builder';
import { ReplyRegistry } from '../reply/reply-registry';

/** Longest wait for an aborted reply, in milliseconds; storing its end usually takes a moment. */
const ENDING_MILLISECONDS = 2_000;

/** Longest wait for the news that a client has left, in milliseconds: its next request may overtake that. */
const LEAVING_MILLISECONDS = 500;

/** Runs the transaction with which an exchange begins. */
@Injectable()
export class ExchangeTransaction {
  constructor(
    private readonly database: Database,
    private readonly context: PromptBuilder,
    private readonly registry: ReplyRegistry,
    private readonly stopper: ReplyStopper,
  ) {}

  /**
   * A client that ends a reply by leaving may send again at once: where the reply that keeps the conversation busy is
   * ending here, its end is waited for, and `begin` runs once more.
   *
   * @param endsUnread whether a reply is ended for that which nobody reads any more, or which another instance writes:
   *   who reads it there is not known
   */
  async run<Result>(
    begin: (manager: EntityManager, counted: CountedTexts) => Promise<Result>,
    endsUnread: boolean,
  ): Promise<Result> {
    try {
      return await this.attempt(begin);
    } catch (error) {
      if (!(error instanceof GenerationInProgressError) || !(await this.hasEnded(error.messageId, endsUnread))) {
        throw error;
      }
      return this.attempt(begin);
    }
  }

  private attempt<Result>(begin: (manager: EntityManager, counted: CountedTexts) => Promise<Result>): Promise<Result> {
    return this.context.countingIfNeeded((counted) => this.database.write((manager) => begin(manager, counted)));
  }

  /** One that is not known here may have ended since it was found. */
  private async hasEnded(messageId: number | null, endsUnread: boolean): Promise<boolean> {
    const reply = messageId === null ? undefined : this.registry.get(messageId);
    if (endsUnread && messageId !== null && (reply === undefined || (await reply.isLeftWithin(LEAVING_MILLISECONDS)))) {
      await this.stopper.stop(messageId);
    }
    return reply === undefined || (reply.abortReason !== null && (await reply.endsWithin(ENDING_MILLISECONDS)));
  }
}
