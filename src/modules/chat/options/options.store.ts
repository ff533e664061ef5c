import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { rowExists } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { type GenerationOptions, NO_OPTIONS } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { ReplyOptionsEntity } from './reply-options.entity';

/** Conversation, hash. */
const SAME = new RowQuery(ReplyOptionsEntity, ({ chatId, hash }) => `WHERE ${chatId} = ? AND ${hash} = ?`, ['id']);

/** Id. */
const OPTIONS = new RowQuery(ReplyOptionsEntity, ({ id }) => `WHERE ${id} = ?`, ['options']);

const NOTHING = JSON.stringify(NO_OPTIONS);

/** Keeps with what options replies were asked for, so that they can be asked for again. Each repeats its tools in every turn. */
@Injectable()
export class OptionsStore {
  /**
   * Within `Database.write`.
   *
   * @returns their id; null for a reply that was asked for with none
   */
  async keep(manager: EntityManager, chatId: number, options: GenerationOptions | null): Promise<number | null> {
    const text = JSON.stringify(options);
    if (options === null || text === NOTHING) {
      return null;
    }
    const hash = createHash('sha256').update(text).digest('hex');
    const known = await SAME.first(manager, [chatId, hash]);
    if (known !== null) {
      return known.id;
    }
    // A parallel exchange may keep the same ones. Only one of the two gets the conversation, but neither may fail here.
    const row = { chatId, hash, options: options as never };
    await upsertRows(manager, ReplyOptionsEntity, [row], ['chatId', 'hash'], ['hash']);
    return (await SAME.first(manager, [chatId, hash]))?.id ?? null;
  }

  async read(manager: EntityManager, id: number | null): Promise<GenerationOptions | null> {
    return id === null ? null : ((await OPTIONS.first(manager, [id]))?.options ?? null);
  }

  /**
   * Within `Database.write`: no version of the reply can be asked for with its options any more, but none is looser either. They
   * go when no other reply has them.
   */
  async forget(
    manager: EntityManager,
    { chatId, position, optionsId }: Pick<MessageEntity, 'chatId' | 'position' | 'optionsId'>,
  ): Promise<void> {
    if (optionsId !== null) {
      const versions = 'chat_id = ? AND position = ? AND wishes_id = ?';
      const { tightening } = (await this.read(manager, optionsId)) ?? {};
      const left = tightening === undefined ? null : await this.keep(manager, chatId, { ...NO_OPTIONS, tightening });
      if (left === optionsId) {
        return;
      }
      await updateRows(manager, MessageEntity, { optionsId: left }, versions, [chatId, position, optionsId]);
      if (!(await rowExists(manager, MessageEntity, { chatId, optionsId }))) {
        await deleteRows(manager, ReplyOptionsEntity, { id: optionsId });
      }
    }
  }
}

/** How a reply was asked for, where that is more than its conversation says. */
export interface AskedWith extends Pick<MessageEntity, 'answerer' | 'optionsId'> {
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
  ): Promise<AskedWith | null> {
    const reply = await REPLIES.first(manager, [chatId, position, id, namedId]);
    return reply && { ...reply, options: await this.options.read(manager, reply.optionsId) };
  }

  /** Who answered, or would, at this end of a line. */
  async answererAt(manager: EntityManager, messageId: number | null): Promise<string | null> {
    return messageId === null ? null : ((await ORIGIN.first(manager, [messageId]))?.answerer ?? null);
  }
}
