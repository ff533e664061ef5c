import type { SelectQueryBuilder } from 'typeorm';
import type { MessageEntity } from './message.entity';

/** The place of a message in its conversation. `position` is null when the conversation has no message with this id. */
export interface MessagePlace {
  id: number;
  position: number | null;
}

/** Sorts the messages of a conversation by position. At one position the user's message comes before its replies. */
export function inOrder(
  messages: SelectQueryBuilder<MessageEntity>,
  direction: 'ASC' | 'DESC' = 'ASC',
): SelectQueryBuilder<MessageEntity> {
  return messages.orderBy('message.position', direction).addOrderBy('message.id', direction);
}

/** Keeps only messages before this place. */
export function onlyBefore(messages: SelectQueryBuilder<MessageEntity>, { id, position }: MessagePlace): void {
  if (position === null) {
    messages.andWhere('message.id < :before', { before: id });
    return;
  }
  // The first condition makes the database read a range of the index. The second alone does not, nor does a comparison of
  // pairs on MySQL.
  messages
    .andWhere('message.position <= :beforePosition', { beforePosition: position })
    .andWhere('(message.position < :beforePosition OR message.id < :before)', { before: id });
}

/** Keeps only messages after this place. */
export function onlyAfter(messages: SelectQueryBuilder<MessageEntity>, { id, position }: MessagePlace): void {
  if (position === null) {
    messages.andWhere('message.id > :after', { after: id });
    return;
  }
  messages
    .andWhere('message.position >= :afterPosition', { afterPosition: position })
    .andWhere('(message.position > :afterPosition OR message.id > :after)', { after: id });
}
