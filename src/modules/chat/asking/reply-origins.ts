import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RowQuery } from '../../../database/statements/query';
import type { GenerationOptions } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { OptionsStore } from './options.store';

/** How a reply was asked for, where that is more than its conversation says. */
export interface ReplyOrigin extends Pick<MessageEntity, 'answerer' | 'optionsId'> {
  options: GenerationOptions | null;
}

/** Conversation, position, message, reply: the replies to a message, that one first, then the current one, then the newest. */
const REPLIES = new RowQuery(
  MessageEntity,
  ({ chatId, position, parentId, role, id, isCurrent }) =>
    `WHERE ${chatId} = ? AND ${position} = ? AND ${parentId} = ? AND ${role} = 'assistant' ` +
    `ORDER BY CASE WHEN ${id} = ? THEN 0 ELSE 1 END, ${isCurrent} DESC, ${id} DESC LIMIT 1`,
  ['answerer', 'optionsId'],
);

/** Id. */
const ORIGIN = new RowQuery(MessageEntity, ({ id }) => `WHERE ${id} = ?`, ['answerer', 'optionsId']);

/** Tells how replies were asked for, so that they are asked for the same way again. */
@Injectable()
export class ReplyOrigins {
  constructor(private readonly options: OptionsStore) {}

  /**
   * Of the reply to a message that is answered again, as it is or in another wording; null: it has none.
   *
   * @param namedId the reply that the client named, if it is one
   */
  async ofReplyTo(
    manager: EntityManager,
    { id, chatId, position }: Pick<MessageEntity, 'id' | 'chatId' | 'position'>,
    namedId: number,
  ): Promise<ReplyOrigin | null> {
    const reply = await REPLIES.first(manager, [chatId, position, id, namedId]);
    return reply && { ...reply, options: await this.options.read(manager, reply.optionsId) };
  }

  /** Who answered, or would, at this end of a line. */
  async answererAt(manager: EntityManager, messageId: number | null): Promise<string | null> {
    return messageId === null ? null : ((await ORIGIN.first(manager, [messageId]))?.answerer ?? null);
  }
}
