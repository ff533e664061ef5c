import { createHash, createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { LONGEST_TEXT } from '../../../common/http/body/json-scan';
import { ServiceSecret } from '../../../common/security/service-secret';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { execute } from '../../../database/statements/run-statement';
import { IdempotencyConflictError } from '../generation.errors';
import { ReplyTables } from '../reply/reply-origin';
import { IdempotencyKeyEntity } from './idempotency-key.entity';

/** A request that may arrive more than once. */
export interface RepeatableRequest {
  userId: number;
  /** The header `Idempotency-Key`; null when the client sent none. */
  key: string | null;
  route: string;
  /** What must be the same in each repetition. */
  body: unknown;
  /** Whether the body has what is to leave no trace: a plain hash of a short text can be found by trying. */
  isSecret?: boolean;
}

/** The result of the request. */
export type RequestResult = Pick<IdempotencyKeyEntity, 'chatId' | 'userMessageId' | 'messageId'>;

export interface FoundResult extends RequestResult {
  /** Whether a crash or a shutdown cut the reply: then the request is to be served again. */
  isCut: boolean;
}

/** User, key. */
const KEY = new RowQuery(IdempotencyKeyEntity, ({ userId, key }) => `WHERE ${userId} = ? AND ${key} = ?`);

/**
 * Keeps the result of each request with an `Idempotency-Key` for 24 hours. Start with `once`: it looks for a result first, and
 * again when the transaction fails in which the result is stored with the change.
 */
@Injectable()
export class IdempotencyService {
  private readonly hashKeys: Buffer[];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly places: ReplyTables,
    secret: ServiceSecret,
  ) {
    this.hashKeys = secret.deriveAll('request-fingerprints');
  }

  /**
   * The result, if the request was served before. Null: it was not, or it has no key.
   *
   * @throws IdempotencyConflictError when the key was used for something else, unless a crash cut the reply to that.
   */
  async find(request: RepeatableRequest): Promise<FoundResult | null> {
    const { userId, key } = request;
    if (key === null) {
      return null;
    }
    const known = await KEY.first(this.database.manager, [userId, key]);
    if (known === null || known.createdAt <= this.expiredAt) {
      return null;
    }
    const { chatId, userMessageId, messageId } = known;
    const isCut = await this.wasCut(known);
    if (this.fingerprintsOf(request).includes(known.fingerprint)) {
      return { chatId, userMessageId, messageId, isCut };
    }
    if (isCut) {
      return null;
    }
    throw new IdempotencyConflictError();
  }

  /**
   * Serves a request once for each key.
   *
   * @param serve does it, and calls `keep` in the transaction of its change; `cut` is what an earlier request stored whose reply
   *   a crash has cut; null: nothing
   * @param again answers from the result that was kept; null: a crash has cut it, so the request is served again
   * @throws IdempotencyConflictError, ServiceUnavailableError when a parallel one stored it and reads do not show it yet, and
   *   what the two throw
   */
  async once<Answer>(
    request: RepeatableRequest,
    serve: (cut: RequestResult | null) => Promise<Answer>,
    again: (result: RequestResult) => Promise<Answer | null>,
  ): Promise<Answer> {
    let cut: RequestResult | null = null;
    const repeated = async (): Promise<Answer | null> => {
      const result = await this.find(request);
      const answer = result === null || result.isCut ? null : await again(result);
      cut = answer === null ? result : null;
      return answer;
    };
    const served = await repeated();
    if (served !== null) {
      return served;
    }
    try {
      return await serve(cut);
    } catch (error) {
      // A parallel request with the same key may have been faster, and this one fails in one of many ways: by the key, a busy
      // chat, a used-up quota. Or the COMMIT succeeded and only its answer was lost.
      const stored = await repeated();
      if (stored === null) {
        // The index has the key, and what was read is older: a server that has left its group still answers. Soon another does.
        throw isUniqueViolation(error, 'idempotency_keys') ? new ServiceUnavailableError(error) : error;
      }
      return stored;
    }
  }

  /** With which a request is known again; the first one is kept. */
  private fingerprintsOf(request: RepeatableRequest): [string, ...string[]] {
    const plain = fingerprint(request);
    if (request.isSecret !== true) {
      return [plain];
    }
    const [present = '', ...previous] = this.hashKeys.map((key) =>
      createHmac('sha256', key).update(plain).digest('hex'),
    );
    // Versions before kept the plain one, for 24 hours.
    return [present, ...previous, plain];
  }

  /** Whether a crash or a shutdown ended the reply: then the key is free again. */
  private async wasCut({ messageId }: RequestResult): Promise<boolean> {
    const reply = messageId === null ? null : await this.places.stateOf(messageId);
    return reply?.status === 'interrupted';
  }

  /** Stores the result. It fails when a parallel request with the same key was faster. */
  async keep(manager: EntityManager, request: RepeatableRequest, result: RequestResult): Promise<void> {
    const { userId, key } = request;
    if (key === null) {
      return;
    }
    await execute(manager, this.forget, [userId, key, this.expiredAt]);
    const [fingerprint] = this.fingerprintsOf(request);
    await insertRow(manager, IdempotencyKeyEntity, {
      userId,
      key,
      fingerprint,
      chatId: result.chatId,
      userMessageId: result.userMessageId,
      messageId: result.messageId,
      createdAt: this.clock.now(),
    });
  }

  /** Deletes a key that is free again. */
  private get forget(): string {
    const cut = this.places.all.map(
      ({ table }) =>
        `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.id = message_id AND ${table}.status = 'interrupted')`,
    );
    return (
      'DELETE FROM chat_idempotency_keys WHERE user_id = ? AND idempotency_key = ? ' +
      `AND (created_at <= ? OR ${cut.join(' OR ')})`
    );
  }

  /** The same for work that has no transaction, because to do it again changes nothing. */
  async keepAlone(request: RepeatableRequest, result: RequestResult): Promise<void> {
    if (request.key !== null) {
      await this.database.write((manager) => this.keep(manager, request, result));
    }
  }

  /** Deletes expired keys. */
  async purge(): Promise<void> {
    const { expiredAt } = this;
    await this.database.write((manager) => deleteRows(manager, IdempotencyKeyEntity, 'created_at <= ?', [expiredAt]));
  }

  /** Results that were kept before this time are forgotten. */
  get expiredAt(): Date {
    return new Date(this.clock.now().getTime() - DAY_MILLISECONDS);
  }
}

function fingerprint({ route, body }: RepeatableRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([route, body], shortened))
    .digest('hex');
}

/** Mostly contents of files are longer than a text may be: as JSON they would cost three times as much. */
function shortened(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > LONGEST_TEXT
    ? createHash('sha256').update(value).digest('hex')
    : value;
}
