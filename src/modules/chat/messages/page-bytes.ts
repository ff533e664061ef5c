import type { EntityManager } from 'typeorm';
import type { RowCondition } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import type { MessageOrder } from '../conversations/message-order';

/**
 * A page of messages or items ends after so many bytes of texts, whatever its limit is: many long texts at once would fill
 * the memory. Only its first message may be larger.
 */
export const PAGE_BYTES = 4 * 1_048_576;

/** SQL for the bytes of a message's texts. The databases know them without reading the texts. */
export const MESSAGE_BYTES = ['content', 'reasoning', 'parts', 'steps']
  .map((column) => `COALESCE(OCTET_LENGTH(chat_messages.${column}), 0)`)
  .join(' + ');

/** How many of the first messages fit into a page; at least one. */
export function countWithin(sizes: readonly number[], limitBytes = PAGE_BYTES): number {
  let bytes = 0;
  const first = sizes.findIndex((size, index) => (bytes += Number(size)) > limitBytes && index > 0);
  return first < 0 ? sizes.length : first;
}

/**
 * How many of the newest messages of each conversation fit into a page of conversations. Each gets an equal share of it; what
 * some leave over is for those that need more, in their order. So one with long messages takes none from the others.
 *
 * @param sizes by conversation, those of the newest messages first
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

/** The sizes of the first messages that match. */
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
