import type { FindOptions } from '../../../database/statements/find';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import type { MessageEntity } from './message.entity';

/** The place of a message in its conversation. `position` is null if the conversation has no message with this ID. */
export interface MessagePlace {
  id: number;
  position: number | null;
}

export type MessageOrder = NonNullable<FindOptions<MessageEntity>['order']>;

/** Messages by position. At the same position, the user's message comes before its replies. */
export const FORWARDS: MessageOrder = { position: 'ASC', id: 'ASC' };
export const BACKWARDS: MessageOrder = { position: 'DESC', id: 'DESC' };

/** Matches messages before this place. */
export function isBefore({ id, position }: MessagePlace): RowCondition {
  return isBeyond('<', id, position);
}

/** Matches messages after this place. */
export function isAfter({ id, position }: MessagePlace): RowCondition {
  return isBeyond('>', id, position);
}

function isBeyond(beyond: '<' | '>', id: number, position: number | null): RowCondition {
  if (position === null) {
    return { condition: `id ${beyond} ?`, parameters: [id] };
  }
  // The first condition lets the database read a range of the index. The second alone does not, nor does a row
  // comparison on MySQL.
  return allOf(
    { condition: `position ${beyond}= ?`, parameters: [position] },
    { condition: `position ${beyond} ? OR id ${beyond} ?`, parameters: [position, id] },
  );
}
