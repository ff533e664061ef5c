import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import type { PricedRequest, QuotaRemaining, SpentFor } from '../../usage/usage.api';
import type { GenerationTask } from './generation-task';
import type { LiveReply } from './live-reply';
import type { GenerationOutcome, ReplyEnd } from './reply-end';
import type { ReplyRow, StoredReply } from './reply-row';
import type { StoredAttempt } from './stored-attempt';
import type { Turn } from './stored-parts';

/** A reply that this process writes (`RunningReply`), as those see it whom it belongs to. */
export interface WrittenReply extends LiveReply {
  readonly task: GenerationTask;
  /** Who its requests are charged to, for the ledger. */
  readonly spentFor: SpentFor;
  /** What a model needs to be told of earlier messages, and not of the one that is answered. */
  neededBefore: ReadonlySet<ModelFeature>;
  /** What no model that was asked could be told of earlier messages: it is told in words. */
  readonly inWords: ReadonlySet<ModelFeature>;
  /** How its exchange began; null for a reply that was taken over from a dead instance. */
  readonly begun: ExchangeBeginning | null;
  readonly firstTokenMs: number | null;
  /** All requests to models so far, in their order. */
  readonly attempts: StoredAttempt[];
  /** What the rounds of its run used, which is counted; null: nothing. */
  readonly earlier: ReplyTokenUsage | null;
}

/** What the beginning of an exchange left. */
export interface ExchangeBeginning {
  /** Messages on the current line of the conversation, the reply included. */
  messageCount: number;
  quota: QuotaRemaining;
}

/** The facts of an ended reply, for the steps that store it. */
export interface Ended {
  reply: WrittenReply;
  outcome: GenerationOutcome;
  usage: ReplyTokenUsage;
  /** The requests to models that it took, with what they cost. */
  costs: readonly PricedRequest[];
  at: Date;
}

/** The columns of the reply that its end changes. */
export type EndedRow = Omit<ReplyRow, 'apiKeyId' | 'stopRequestedAt' | 'createdAt' | 'steps'>;

/** Tokens of a prompt. */
export interface PromptRoom {
  /** All that it may have. */
  limit: number;
  /** What the system prompt and the question take. */
  taken: number;
}

/** Where a reply belongs: a conversation, or the request that brought its whole context. Each reply has one. */
export interface ReplyOrigin {
  /** The table that has its row. */
  readonly place: ReplyTable;

  /** Whether its steps are stored, because they may be read again. */
  readonly keepsSteps: boolean;

  /** Whether `turns` chooses those that fit. Otherwise the prompt takes the newest of them. */
  readonly choosesTurns: boolean;

  /** Tokens of a prompt that is not known any more; null: it can be counted. */
  readonly promptTokens: number | null;

  /**
   * What the model is told, oldest first; the last one is answered. It is asked for again when the models cannot be told all
   * of it (`WrittenReply.inWords`), and when nobody but the service counts its tokens.
   *
   * @param roomFor how much may be told beside a question with this text
   * @throws ContextTooLongError when nothing may be left out
   */
  turns(reply: WrittenReply, roomFor: (question: string) => PromptRoom): Promise<readonly Turn[]>;

  /**
   * Stores the end, within `Database.write`. Usage is counted after it, and `release` comes last: every transaction that
   * ends a reply locks in this order.
   *
   * @returns false when the reply has ended already: an end is stored once
   */
  storeEnd(manager: EntityManager, ended: Ended, row: EndedRow): Promise<boolean>;

  /**
   * In the same transaction, when the usage is counted: frees what waited for the end, and tells of it.
   *
   * @returns what readers are told beside the end
   */
  release(manager: EntityManager, ended: Ended, row: EndedRow): Promise<Released>;

  /** Stores no more than that it failed, and frees what waited for the end. @returns false when it has ended already */
  storeLeast(manager: EntityManager, reply: WrittenReply, row: Partial<EndedRow>, at: Date): Promise<boolean>;

  /** What comes after the end. Nobody waits for it. */
  afterEnd(reply: WrittenReply, end: ReplyEnd): void;
}

/** What an end has changed where the reply belongs. */
export interface Released {
  /** The title that the conversation got. */
  title: string | null;
  /** Messages on the current line of the conversation, where that has changed with the end; null: it has not. */
  messageCount: number | null;
}

export const NOTHING_RELEASED: Released = { title: null, messageCount: null };

/** A reply that no instance writes any more. */
export interface AbandonedReply {
  messageId: number;
  /** The instance that wrote it. */
  ownerId: string | null;
  /** What was stored of it, and what its instance knew of it. */
  rebuild: () => Promise<RebuiltReply>;
}

export interface RebuiltReply {
  row: StoredReply;
  task: GenerationTask;
  origin: ReplyOrigin;
}

/** Narrows a query down to replies that no instance writes any more. @param alias of the table with the replies */
export type OnlyAbandoned = <Row extends object>(
  query: SelectQueryBuilder<Row>,
  alias: string,
) => SelectQueryBuilder<Row>;

/** A table with replies. The engine finds, follows, stops and recovers them in all of them. */
export interface ReplyTable {
  readonly entity: new () => StoredReply;
  readonly table: string;
  /** SQL that counts the running replies of a user, its only parameter. */
  readonly countRunning: string;

  /** The title that the reply gave its conversation; null: none. */
  titleOf(reply: StoredReply): Promise<string | null>;

  /** The replies that the user has running, or that a crash has left. */
  runningOf(userId: number): Promise<number[]>;

  /** Resolves when nothing is under way that follows the end of a reply (`ReplyOrigin.afterEnd`). */
  settled(): Promise<unknown>;

  /** Replies to the same message, or to another wording of it; absent: there are none. */
  otherVersions?(messageId: number): Promise<number[]>;

  /** Whether others may have said what stands in the conversation of the reply; absent: it has only what its user sent. */
  hasWordsOfOthers?(chatId: number): Promise<boolean>;

  /** Within `Database.write`: a reply that waited goes on. @returns false when its conversation has gone on without it */
  reopen?(manager: EntityManager, reply: StoredReply): Promise<boolean>;

  /** A run that goes on: with what it was begun with. */
  rebuildRun?(messageId: number): Promise<RebuiltReply & { messageCount: number }>;

  abandoned(onlyAbandoned: OnlyAbandoned): Promise<AbandonedReply[]>;
}

/** A reply, and the table that has it. */
export interface FoundReply {
  place: ReplyTable;
  row: StoredReply;
}

/** Knows all tables with replies: each module that has one adds it when it starts. */
@Injectable()
export class ReplyTables {
  private readonly places: ReplyTable[] = [];

  constructor(private readonly database: Database) {}

  add(place: ReplyTable): void {
    this.places.push(place);
  }

  get all(): readonly ReplyTable[] {
    return this.places;
  }

  /** How a reply stands, without its words; null when there is none. */
  async stateOf(messageId: number): Promise<Pick<StoredReply, 'status' | 'ownerId'> | null> {
    for (const { entity } of this.places) {
      const select = { id: true, status: true, ownerId: true } as const;
      const row = await this.database.repository(entity).findOne({ select, where: { id: messageId } });
      if (row !== null) {
        return row;
      }
    }
    return null;
  }

  /** Ids of replies are never the same in two tables. */
  async find(messageId: number): Promise<FoundReply | null> {
    for (const place of this.places) {
      const row = await this.database.repository(place.entity).findOneBy({ id: messageId });
      if (row !== null) {
        return { place, row };
      }
    }
    return null;
  }
}
