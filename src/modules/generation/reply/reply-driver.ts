import type { EntityManager } from 'typeorm';
import type { GenerationOutcome, ReplyEnd } from './reply-end';
import type { StoredReply } from './reply-row';
import type { WrittenReply } from './written-reply';

/**
 * How a reply is written: with one model call (`PlainDriver`), or in rounds with tool calls (`ActingDriver`). The module
 * that starts a reply chooses its driver. The engine passes the `RunningReply`. Methods with a manager run within
 * `Database.write`.
 */
export interface ReplyDriver {
  /** Writes the reply. @returns how it ended, or that it waits @throws ReplyLostError when another instance continues it */
  write(reply: WrittenReply): Promise<GenerationOutcome>;

  /** Locks the reply before something of it is stored. @returns false when another instance has it */
  holds(manager: EntityManager, reply: WrittenReply): Promise<boolean>;

  /**
   * Prepares the rows of the reply for its end, as the first statements of that transaction.
   *
   * @throws ReplyContinuesError when the reply continues instead, ReplyLostError
   */
  beforeEnd(manager: EntityManager, reply: WrittenReply, outcome: GenerationOutcome): Promise<void>;

  /** Called when the end is stored. @returns the end that readers receive */
  afterEnd(reply: WrittenReply, end: ReplyEnd): Promise<ReplyEnd>;

  /** Stops a reply if it waits for a person. */
  stopWaiting(messageId: number): Promise<void>;

  /** Takes over a reply whose instance died or released it. @returns how the caller ends it. Null: it continues */
  resume(messageId: number, ownerId: string | null): Promise<CutReply | null>;
}

/** A reply that cannot continue. */
export interface CutReply {
  outcome: GenerationOutcome;
  /** Adds what is not in the reply's text and steps. */
  restore(reply: WrittenReply, row: StoredReply): void;
}
