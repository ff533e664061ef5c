import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatAmount, parseDecimal } from '../../../common/money/amount';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { EmbeddingPayments, IdempotencyService, type RepeatableRequest } from '../../generation/generation.api';
import { vectorBytes, vectorOf } from '../../knowledge/knowledge.api';
import { type Keeper, StorageService } from '../../usage/usage.api';
import { KeptEmbeddingsEntity, KeptVectorsEntity } from './kept-embeddings.entity';

/** Bytes of vectors in a row, far below the smallest default of `max_allowed_packet`. */
const PIECE_BYTES = 1_048_576;

/** How often a request looks for the response of a running one. */
const LOOK_MILLISECONDS = 250;

/** Rows per transaction; each may have 32 MiB of vectors. */
const BATCH = 10;

/** The vectors that a request for embeddings returns. */
export interface AnsweredEmbeddings {
  vectors: readonly Float32Array[];
  tokens: number;
  /** Null: no price. */
  cost: bigint | null;
}

/** Keeps responses with an `Idempotency-Key`. A request is stored before it is sent, so it is never sent twice at once. */
@Injectable()
export class KeptEmbeddings {
  private readonly logger = new Logger(KeptEmbeddings.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly idempotency: IdempotencyService,
    private readonly payments: EmbeddingPayments,
    private readonly storage: StorageService,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.removeExpired(),
      onError: (error) => this.logger.warn({ error }, 'Kept embeddings could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /**
   * In the transaction in which the request begins.
   *
   * @param requestId of its row in `side_requests`
   * @param bytes of the vectors, at most
   * @param onBegun gets its id after the commit, because an id that is rolled back may be used again
   * @throws StorageQuotaExceededError
   */
  async begin(
    manager: EntityManager,
    keeper: Keeper,
    request: RepeatableRequest,
    { requestId, bytes }: Pick<KeptEmbeddingsEntity, 'requestId' | 'bytes'>,
    onBegun: (id: number) => void,
  ): Promise<void> {
    await this.storage.addBytes(manager, keeper, bytes);
    const row = { userId: keeper.userId, requestId, bytes, dimensions: null, tokens: null, cost: null };
    const id = await insertRow(manager, KeptEmbeddingsEntity, { ...row, createdAt: this.clock.now() });
    // The key's row names these embeddings where it names a conversation for a message.
    await this.idempotency.keep(manager, request, { chatId: id, userMessageId: null, messageId: null });
    this.database.onCommit(() => onBegun(id));
  }

  /** In the transaction that ends the request. */
  async store(manager: EntityManager, id: number, { vectors, tokens, cost }: AnsweredEmbeddings): Promise<void> {
    const dimensions = vectors[0]?.length ?? 0;
    const response = { dimensions, tokens, cost: formatAmount(cost) };
    if ((await updateRows(manager, KeptEmbeddingsEntity, response, { id })) === 0) {
      // This instance was thought dead, and another request with the key has been sent.
      return;
    }
    const data = Buffer.concat(vectors.map(vectorBytes));
    for (let start = 0; start < data.length; start += PIECE_BYTES) {
      const piece = { number: start / PIECE_BYTES, data: data.subarray(start, start + PIECE_BYTES) };
      await insertRow(manager, KeptVectorsEntity, { embeddingsId: id, ...piece });
    }
  }

  /**
   * The response to an earlier request, which may be running. Null: there is none, because it failed or its instance
   * died; its key is free again.
   *
   * @param signal ends the wait
   */
  async find(request: RepeatableRequest, id: number, signal: AbortSignal): Promise<AnsweredEmbeddings | null> {
    const { manager } = this.database;
    for (;;) {
      const before = await findRow(manager, KeptEmbeddingsEntity, { id });
      const isRunning = before !== null && (await this.payments.isOpen(before.requestId));
      // Read after that: the response is committed together with the end of the request.
      const row = isRunning ? null : await findRow(manager, KeptEmbeddingsEntity, { id });
      if (row?.dimensions) {
        return this.read(row, row.dimensions);
      }
      if (!isRunning) {
        await this.forget(request, id);
        return null;
      }
      await pause(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /** After a request without a response: its key is free again. A response whose commit was not noticed stays. */
  async forget(request: RepeatableRequest, id: number): Promise<void> {
    await this.database.write(async (manager) => {
      const row = await findLocked(manager, KeptEmbeddingsEntity, { id });
      if (row === null || row.dimensions === null) {
        await this.idempotency.free(manager, request, id);
        await this.remove(manager, [id]);
      }
    });
  }

  /** Removes all that is kept for a user. */
  async erase(userId: number): Promise<void> {
    await this.removeAll({ userId });
  }

  private async removeExpired(): Promise<null> {
    await this.removeAll({ createdAt: LessThanOrEqual(this.idempotency.expiredAt) });
    return null;
  }

  private async removeAll(where: object): Promise<void> {
    for (;;) {
      const members = ['id' as const];
      const rows = await findRows(this.database.manager, KeptEmbeddingsEntity, where, { members, limit: BATCH });
      if (rows.length === 0) {
        return;
      }
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => this.remove(manager, ids));
    }
  }

  private async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const where = { id: In([...ids]) };
    const rows = await findRows(manager, KeptEmbeddingsEntity, where, { lock: 'wait', order: { id: 'ASC' } });
    await deleteRows(manager, KeptVectorsEntity, { embeddingsId: In([...ids]) });
    await deleteRows(manager, KeptEmbeddingsEntity, where);
    const freed = new Map<number, number>();
    rows.forEach(({ userId, bytes }) => freed.set(userId, (freed.get(userId) ?? 0) + bytes));
    await this.storage.removeBytes(manager, freed);
  }

  private async read({ id, tokens, cost }: KeptEmbeddingsEntity, dimensions: number): Promise<AnsweredEmbeddings> {
    const order = { number: 'ASC' } as const;
    const pieces = await findRows(this.database.manager, KeptVectorsEntity, { embeddingsId: id }, { order });
    const vectors = vectorsOf(Buffer.concat(pieces.map(({ data }) => data)), dimensions);
    return { vectors, tokens: tokens ?? 0, cost: cost === null ? null : parseDecimal(cost) };
  }
}

function vectorsOf(data: Buffer, dimensions: number): Float32Array[] {
  const length = dimensions * Float32Array.BYTES_PER_ELEMENT;
  return Array.from({ length: data.length / length }, (_, index) =>
    vectorOf(data.subarray(index * length, (index + 1) * length)),
  );
}
