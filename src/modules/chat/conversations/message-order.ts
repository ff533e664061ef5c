import type { SelectQueryBuilder } from 'typeorm';
import type { MessageEntity } from './message.entity';

/** Where a message stands in its conversation; of one that is not in it only the id is known. */
export interface MessagePlace {
  id: number;
  position: number | null;
}

/** Sorts messages of one conversation: by position, and within it the user's message before its replies. */
export function inOrder(
  messages: SelectQueryBuilder<MessageEntity>,
  direction: 'ASC' | 'DESC' = 'ASC',
): SelectQueryBuilder<MessageEntity> {
  return messages.orderBy('message.position', direction).addOrderBy('message.id', direction);
}

/** Only messages that stand before this place. */
export function onlyBefore(messages: SelectQueryBuilder<MessageEntity>, { id, position }: MessagePlace): void {
  if (position === null) {
    messages.andWhere('message.id < :before', { before: id });
    return;
  }
  // The first condition is a range of the index; no engine makes one of the second, nor MySQL of a comparison of pairs.
  messages
    .andWhere('message.position <= :beforePosition', { beforePosition: position })
    .andWhere('(message.position < :beforePosition OR message.id < :before)', { before: id });
}

/** Only messages that stand after this place. */
export function onlyAfter(messages: SelectQueryBuilder<MessageEntity>, { id, position }: MessagePlace): void {
  if (position === null) {
    messages.andWhere('message.id > :after', { after: id });
    return;
  }
  messages
    .andWhere('message.position >= :afterPosition', { afterPosition: position })
    .andWhere('(message.position > :afterPosition OR message.id > :after)', { after: id });
}
