import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { IdempotencyConflictError } from '../chat.errors';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.entity';

const DAY_MILLISECONDS = 86_400_000;

/** A request that may arrive more than once. */
export interface RepeatableRequest {
  userId: number;
  /** The header `Idempotency-Key`; null when the client sent none. */
  key: string | null;
  route: string;
  /** What must be the same in every repetition. */
  body: unknown;
}

/** What the request led to. */
export type RequestResult = Pick<IdempotencyKeyEntity, 'chatId' | 'userMessageId' | 'messageId'>;

/** Keeps the result; called within the transaction that makes it. */
export type ResultKeeper = (manager: EntityManager, result: RequestResult) => Promise<void>;

/** For a request without a key. */
export const keepNothing: ResultKeeper = () => Promise.resolve();

/** Has a request act once, however often it is sent within 24 hours. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @param perform does the work and keeps the result in its transaction
   * @param repeat answers a repetition from the kept result
   * @throws IdempotencyConflictError when the key was used for something else.
   */
  async once<Answer>(
    request: RepeatableRequest,
    perform: (keep: ResultKeeper) => Promise<Answer>,
    repeat: (result: RequestResult) => Promise<Answer>,
  ): Promise<Answer> {
    const { key } = request;
    if (key === null) {
      return perform(keepNothing);
    }
    const known = await this.find(request, key);
    if (known) {
      return repeat(known);
    }
    try {
      return await perform((manager, result) => this.keep(manager, request, key, result));
    } catch (error) {
      // A twin that was faster makes this one fail in many ways: the key, the busy conversation, the used-up quota.
      const twin = await this.find(request, key);
      if (twin) {
        return repeat(twin);
      }
      throw error;
    }
  }

  /** Removes keys that have expired. */
  async purge(): Promise<void> {
    const { expiredAt } = this;
    await this.database.write((manager) =>
      manager
        .createQueryBuilder()
        .delete()
        .from(IdempotencyKeyEntity)
        .where('created_at <= :expiredAt', { expiredAt })
        .execute(),
    );
  }

  private get expiredAt(): Date {
    return new Date(this.clock.now().getTime() - DAY_MILLISECONDS);
  }

  private async find(request: RepeatableRequest, key: string): Promise<RequestResult | null> {
    const { userId } = request;
    const known = await this.database.repository(IdempotencyKeyEntity).findOneBy({ userId, key });
    if (known === null || known.createdAt <= this.expiredAt) {
      return null;
    }
    if (known.fingerprint !== fingerprint(request)) {
      throw new IdempotencyConflictError();
    }
    return known;
  }

  private async keep(
    manager: EntityManager,
    request: RepeatableRequest,
    key: string,
    result: RequestResult,
  ): Promise<void> {
    const { userId } = request;
    const { expiredAt } = this;
    await manager
      .createQueryBuilder()
      .delete()
      .from(IdempotencyKeyEntity)
      .where('user_id = :userId AND idempotency_key = :key AND created_at <= :expiredAt', { userId, key, expiredAt })
      .execute();
    const createdAt = this.clock.now();
    await manager.insert(IdempotencyKeyEntity, {
      userId,
      key,
      fingerprint: fingerprint(request),
      chatId: result.chatId,
      userMessageId: result.userMessageId,
      messageId: result.messageId,
      createdAt,
    });
  }
}

function fingerprint({ route, body }: RepeatableRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([route, body]))
    .digest('hex');
}
