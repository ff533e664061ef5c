import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Rows that are read at once: few enough that no request on SQLite waits long for its turn. */
const BATCH_ROWS = 200;

export interface KeysetOptions<Row> {
  /** A column of unique numbers above 0 by which the rows are ordered; usually the id. */
  by?: keyof Row & string;
  rows?: number;
}

/**
 * All rows that a query finds, in batches, each of which begins after the last row of the one before. Others may write in
 * between, and the rows that were handed out may be deleted meanwhile.
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
    last = Number(batch.at(-1)?.[by]);
  }
}
