import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import type { PricedRequest } from '../../usage/usage.api';
import type { GenerationTask } from './generation-task';
import type { ReplyDriver } from './reply-driver';
import type { GenerationOutcome, ReplyEnd } from './reply-end';
import type { ReplyRow, StoredReply } from './reply-row';
import type { Turn } from './stored-parts';
import type { WrittenReply } from './written-reply';

/** The data of an ended reply that its owner stores. */
export interface Ended {
  reply: WrittenReply;
  outcome: GenerationOutcome;
  usage: ReplyTokenUsage;
  /** The requests to models with their costs. */
  costs: readonly PricedRequest[];
  at: Date;
}

/** The columns of the reply that its end changes. */
export type EndedRow = Omit<ReplyRow, 'apiKeyId' | 'stopRequestedAt' | 'createdAt' | 'steps'>;

/** Token limit of a prompt. */
export interface PromptRoom {
  /** Maximum tokens of the prompt. */
  limit: number;
  /** Tokens of the system prompt and the question. */
  taken: number;
}

/** The owner of a reply: a conversation, or a request that brought its whole context. */
export interface ReplyOrigin {
  /** The table with its row. */
  readonly place: ReplyTable;

  /** Whether its steps are stored, because they may be read again. */
  readonly keepsSteps: boolean;

  /** Whether `turns` selects the turns that fit. Otherwise the prompt uses the newest ones. */
  readonly choosesTurns: boolean;

  /** Tokens of a prompt that is no longer available. Null: the prompt can be counted. */
  readonly promptTokens: number | null;

  /**
   * The turns of the prompt, oldest first; the last one is answered. Called again if the models lack a feature
   * (`WrittenReply.inWords`), or if only the service counts the tokens.
   *
   * @param roomFor the limit of a prompt with this question
   * @throws ContextTooLongError when nothing may be omitted
   */
  turns(reply: WrittenReply, roomFor: (question: string) => PromptRoom): Promise<readonly Turn[]>;

  /**
   * Stores the end, within `Database.write`. Usage is counted after it, and `release` comes last: every transaction
   * that ends a reply takes its locks in this order.
   *
   * @returns false when the reply has already ended, because an end is stored once
   */
  storeEnd(manager: EntityManager, ended: Ended, row: EndedRow): Promise<boolean>;

  /**
   * Releases the owner, such as its conversation, and publishes the end. Called in the same transaction, after usage.
   *
   * @returns data that readers receive with the end
   */
  release(manager: EntityManager, ended: Ended, row: EndedRow): Promise<Released>;

  /** Stores only that the reply failed, and releases the owner. @returns false when it has already ended */
  storeLeast(manager: EntityManager, reply: WrittenReply, row: Partial<EndedRow>, at: Date): Promise<boolean>;

  /** Starts follow-up work after the end. Its callers do not wait for it. */
  afterEnd(reply: WrittenReply, end: ReplyEnd): void;
}

/** The effect of an end on the owner of the reply. */
export interface Released {
  /** The new title of the conversation. */
  title: string | null;
  /** Messages on the current branch of the conversation, if the end changed them. Null: unchanged. */
  messageCount: number | null;
}

export const NOTHING_RELEASED: Released = { title: null, messageCount: null };

/** A reply that no instance writes any more. */
export interface AbandonedReply {
  messageId: number;
  /** The instance that wrote it. */
  ownerId: string | null;
  /** Restores the stored reply and its task. */
  rebuild: () => Promise<RebuiltReply>;
}

export interface RebuiltReply {
  row: StoredReply;
  task: GenerationTask;
  origin: ReplyOrigin;
}

/** Restricts a query to replies that no instance writes any more. @param alias of the table with the replies */
export type OnlyAbandoned = <Row extends object>(
  query: SelectQueryBuilder<Row>,
  alias: string,
) => SelectQueryBuilder<Row>;

/** A table with replies. The engine finds, follows, stops and recovers replies in all these tables. */
export interface ReplyTable {
  readonly entity: new () => StoredReply;
  readonly table: string;
  /** SQL that counts the running replies of a user, its only parameter. */
  readonly countRunning: string;

  /** The user whose reply it is. */
  ownerOf(reply: StoredReply): Promise<number>;

  /** The title that the reply gave its conversation. Null: none. */
  titleOf(reply: StoredReply): Promise<string | null>;

  /** The user's replies that are running, or that a crash has left. */
  runningOf(userId: number): Promise<number[]>;

  /** Resolves when no follow-up work of ended replies is running (`ReplyOrigin.afterEnd`). */
  settled(): Promise<unknown>;

  /** Other replies to the same message or to an edited version of it. Absent: there are none. */
  otherVersions?(messageId: number): Promise<number[]>;

  /** Whether the conversation of the reply may have untrusted content. Absent: it only has the user's own messages. */
  isTainted?(chatId: number): Promise<boolean>;

  /**
   * Within `Database.write`: continues a waiting reply.
   *
   * @returns false when its conversation has continued without it
   */
  reopen?(manager: EntityManager, reply: StoredReply): Promise<boolean>;

  /** Restores a reply with its original task. */
  rebuildRun?(messageId: number): Promise<RebuiltReply & { messageCount: number }>;

  abandoned(onlyAbandoned: OnlyAbandoned): Promise<AbandonedReply[]>;
}

/** A reply and its table. */
export interface FoundReply {
  place: ReplyTable;
  row: StoredReply;
}

/** The registry of tables with replies. Modules add their tables at startup. */
@Injectable()
export class ReplyTables {
  private readonly places: ReplyTable[] = [];
  private takingOver: ReplyDriver | null = null;

  constructor(private readonly database: Database) {}

  add(place: ReplyTable): void {
    this.places.push(place);
  }

  get all(): readonly ReplyTable[] {
    return this.places;
  }

  /** Takes over replies of which only the row is left: their instance is gone, or they wait for a person. */
  get driver(): ReplyDriver {
    if (this.takingOver === null) {
      throw new Error('No driver takes over replies.');
    }
    return this.takingOver;
  }

  /** A driver registers itself at startup: a row does not say how its reply was written. */
  registerDriver(driver: ReplyDriver): void {
    this.takingOver = driver;
  }

  /** The state of a reply without its text. Null when it does not exist. */
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

  /** Ids of replies are unique across tables. */
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
