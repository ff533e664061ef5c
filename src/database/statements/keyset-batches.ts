import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Rows per query. With so few rows, no request on SQLite waits long. */
const BATCH_ROWS = 200;

export interface KeysetOptions<Row> {
  /** The column that orders the rows, with unique numbers above 0; usually the id. */
  by?: keyof Row & string;
  rows?: number;
}

/**
 * All rows that a query finds, in batches. Each batch begins after the last row of the one before. Other code may write
 * between two batches, and may delete rows of earlier batches. Requests have their turn between two batches too: SQLite
 * answers at once, so that the reading of many rows would be one long work.
 *
 * @param query without an order or a limit
 * @example
 * for await (const notes of keysetBatches(repository.createQueryBuilder('note').where({ userId }))) { … }
 */
export async function* keysetBatches<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { by = 'id', rows = BATCH_ROWS }: KeysetOptions<Row> = {},
): AsyncGenerator<Row[]> {
  const column = `${query.alias}.${by}`;
  for (let last = 0; ;) {
    const batch = await query.clone().andWhere(`${column} > :last`, { last }).orderBy(column).limit(rows).getMany();
    if (batch.length > 0) {
      yield batch;
    }
    if (batch.length < rows) {
      return;
    }
    await nextTurn();
    last = Number(batch.at(-1)?.[by]);
  }
}
