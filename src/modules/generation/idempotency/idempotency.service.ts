import { createHash, createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
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
  /** The header `Idempotency-Key`. Null: the client sent none. */
  key: string | null;
  route: string;
  /** The part of the request that must be the same in each repetition. */
  body: unknown;
  /**
   * Whether the body is confidential. It is then hashed with a key, because a plain hash of a short text can be found
   * by trial.
   */
  isSecret?: boolean;
}

/** The result of the request. */
export type RequestResult = Pick<IdempotencyKeyEntity, 'chatId' | 'userMessageId' | 'messageId'>;

export interface FoundResult extends RequestResult {
  /** Whether a crash or a shutdown cut the reply off. The request must then be served again. */
  isCut: boolean;
}

/** Parameters: user, key. */
const KEY = new RowQuery(IdempotencyKeyEntity, ({ userId, key }) => `WHERE ${userId} = ? AND ${key} = ?`);

/**
 * Stores the result of each request with an `Idempotency-Key` for 24 hours. Start with `once`: it looks for a result
 * first, and again if the transaction with the change and the result fails.
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
   * The result of an earlier request with this key. Null: there is none, or the request has no key.
   *
   * @throws IdempotencyConflictError when the key was used for another request, unless a crash cut off its reply
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
   * @param serve serves the request and calls `keep` in the transaction of its change. `cut` is the result of an
   *   earlier request whose reply was cut off. Null: none
   * @param again returns the answer for a stored result. Null: its reply was cut off, so the request is served again
   * @throws IdempotencyConflictError, ServiceUnavailableError when a parallel request stored a result that reads do not
   *   show yet, and the errors of `serve` and `again`
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
      // A parallel request with the same key may have been faster. This one then fails in one of many ways: a duplicate
      // key, a busy conversation, an exhausted quota. Or the COMMIT succeeded and only its answer was lost.
      const stored = await repeated();
      if (stored === null) {
        // The index has the key, but the read was stale: a server that has left its cluster still answers. Soon another
        // one does.
        throw isUniqueViolation(error, 'idempotency_keys') ? new ServiceUnavailableError(error) : error;
      }
      return stored;
    }
  }

  /** Hashes that identify a request. The first one is stored. */
  private fingerprintsOf(request: RepeatableRequest): [string, ...string[]] {
    const plain = fingerprint(request);
    if (request.isSecret !== true) {
      return [plain];
    }
    const [present = '', ...previous] = this.hashKeys.map((key) =>
      createHmac('sha256', key).update(plain).digest('hex'),
    );
    // Earlier versions stored the plain hash, for 24 hours.
    return [present, ...previous, plain];
  }

  /** Whether a crash or a shutdown ended the reply. The key is then free again. */
  private async wasCut({ messageId }: RequestResult): Promise<boolean> {
    const reply = messageId === null ? null : await this.places.stateOf(messageId);
    return reply?.status === 'interrupted';
  }

  /** Stores the result. Fails when a parallel request with the same key was faster. */
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

  /** Within `Database.write`: frees the key of a request that ended without a result. `chatId` is that of `keep`. */
  async free(manager: EntityManager, request: RepeatableRequest, chatId: number): Promise<void> {
    const { userId, key } = request;
    if (key !== null) {
      const fingerprint = In(this.fingerprintsOf(request));
      await deleteRows(manager, IdempotencyKeyEntity, { userId, key, chatId, fingerprint });
    }
  }

  /** SQL that deletes a key that is free again. */
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

  /** The same for idempotent work without a transaction. */
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

  /** Results that were stored before this time have expired. */
  get expiredAt(): Date {
    return new Date(this.clock.now().getTime() - DAY_MILLISECONDS);
  }
}

function fingerprint({ route, body }: RepeatableRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([route, body], shortened))
    .digest('hex');
}

/** Replaces long strings by their hash. Most are file contents, which would be slow to hash as JSON. */
function shortened(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > LONGEST_TEXT
    ? createHash('sha256').update(value).digest('hex')
    : value;
}
