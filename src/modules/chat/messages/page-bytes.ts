import type { EntityManager } from 'typeorm';
import type { RowCondition } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import type { MessageOrder } from '../conversations/message-order';

/**
 * A page of messages or items is cut at this many bytes of text, whatever its limit, to bound the memory. Only its
 * first message may be larger.
 */
export const PAGE_BYTES = 4 * 1_048_576;

/** SQL for the bytes of a message's texts. Databases compute the length without reading the texts. */
export const MESSAGE_BYTES = ['content', 'reasoning', 'parts', 'steps']
  .map((column) => `COALESCE(OCTET_LENGTH(chat_messages.${column}), 0)`)
  .join(' + ');

/** The number of messages that fit into a page; at least one. */
export function countWithin(sizes: readonly number[], limitBytes = PAGE_BYTES): number {
  let bytes = 0;
  const first = sizes.findIndex((size, index) => (bytes += Number(size)) > limitBytes && index > 0);
  return first < 0 ? sizes.length : first;
}

/**
 * The number of newest messages of each conversation that fit into a page of conversations. Each conversation gets an
 * equal share, and in order those that need more use what the others leave. Long messages of one thus do not displace
 * those of others.
 *
 * @param sizes by conversation, newest messages first
 */
export function shareOut(sizes: readonly (readonly number[])[], limitBytes = PAGE_BYTES): number[] {
  const counts = sizes.map(() => 0);
  let left = limitBytes;
  const give = (place: number, most: number): void => {
    const ofOne = sizes[place] ?? [];
    let given = 0;
    for (let next = ofOne[counts[place] ?? 0]; next !== undefined && given + next <= most;) {
      given += next;
      next = ofOne[++counts[place]!];
    }
    left -= given;
  };
  sizes.forEach((_sizes, place) => give(place, limitBytes / sizes.length));
  sizes.forEach((_sizes, place) => give(place, left));
  const first = sizes.findIndex(({ length }) => length > 0);
  return left === limitBytes ? counts.map((count, place) => (place === first ? Math.max(count, 1) : count)) : counts;
}

/** The sizes of the first matching messages. */
export async function sizesOf(
  manager: EntityManager,
  { condition, parameters }: RowCondition,
  order: MessageOrder,
  limit: number,
): Promise<number[]> {
  const orders = Object.entries(order).map(([column, direction]) => `${column} ${direction}`);
  const sql = `SELECT ${MESSAGE_BYTES} FROM chat_messages WHERE ${condition} ORDER BY ${orders.join(', ')} LIMIT ?`;
  const { rows } = await runStatement(manager, sql, [...parameters, limit]);
  return rows.map(([bytes]) => Number(bytes));
}
