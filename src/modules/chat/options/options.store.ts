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

/** ID. */
const OPTIONS = new RowQuery(ReplyOptionsEntity, ({ id }) => `WHERE ${id} = ?`, ['options']);

const NOTHING = JSON.stringify(NO_OPTIONS);

/**
 * Stores the generation options of replies for later regenerations. Equal options are stored once per conversation,
 * because a client repeats its tools with every message.
 */
@Injectable()
export class OptionsStore {
  /**
   * Call it within `Database.write`.
   *
   * @returns the ID; null for a reply without options
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
    // A parallel exchange may store equal options. Only one of the two gets the conversation, but this insert must not
    // fail.
    const row = { chatId, hash, options: options as never };
    await upsertRows(manager, ReplyOptionsEntity, [row], ['chatId', 'hash'], ['hash']);
    return (await SAME.first(manager, [chatId, hash]))?.id ?? null;
  }

  async read(manager: EntityManager, id: number | null): Promise<GenerationOptions | null> {
    return id === null ? null : ((await OPTIONS.first(manager, [id]))?.options ?? null);
  }

  /**
   * Removes the options of a reply from all its versions, but keeps any tightened policies. Unused options are deleted.
   * Call it within `Database.write`.
   */
  async forget(
    manager: EntityManager,
    { chatId, position, optionsId }: Pick<MessageEntity, 'chatId' | 'position' | 'optionsId'>,
  ): Promise<void> {
    if (optionsId !== null) {
      const versions = 'chat_id = ? AND position = ? AND wishes_id = ?';
      const { tightening } = (await this.read(manager, optionsId)) ?? {};
      const keptId = tightening === undefined ? null : await this.keep(manager, chatId, { ...NO_OPTIONS, tightening });
      if (keptId === optionsId) {
        return;
      }
      await updateRows(manager, MessageEntity, { optionsId: keptId }, versions, [chatId, position, optionsId]);
      if (!(await rowExists(manager, MessageEntity, { chatId, optionsId }))) {
        await deleteRows(manager, ReplyOptionsEntity, { id: optionsId });
      }
    }
  }
}

/** The settings of a reply that differ from its conversation. */
export interface ReplySettings extends Pick<MessageEntity, 'answerer' | 'optionsId'> {
  options: GenerationOptions | null;
}

/**
 * Conversation, position, message, reply. Replies to a message: the named reply first, then the current one, then the
 * newest.
 */
const REPLIES = new RowQuery(
  MessageEntity,
  ({ chatId, position, parentId, role, id, isCurrent }) =>
    `WHERE ${chatId} = ? AND ${position} = ? AND ${parentId} = ? AND ${role} = 'assistant' ` +
    `ORDER BY CASE WHEN ${id} = ? THEN 0 ELSE 1 END, ${isCurrent} DESC, ${id} DESC LIMIT 1`,
  ['answerer', 'optionsId'],
);

/** ID. */
const ORIGIN = new RowQuery(MessageEntity, ({ id }) => `WHERE ${id} = ?`, ['answerer', 'optionsId']);

/** Reads the settings of earlier replies, so that new replies can use the same. */
@Injectable()
export class ReplyOrigins {
  constructor(private readonly options: OptionsStore) {}

  /**
   * The settings of a reply to the message that is answered again or edited; null if there is no reply.
   *
   * @param namedId the ID that the client sent, which may be a reply
   */
  async findSettings(
    manager: EntityManager,
    { id, chatId, position }: Pick<MessageEntity, 'id' | 'chatId' | 'position'>,
    namedId: number,
  ): Promise<ReplySettings | null> {
    const reply = await REPLIES.first(manager, [chatId, position, id, namedId]);
    return reply && { ...reply, options: await this.options.read(manager, reply.optionsId) };
  }

  /** The answerer at this end of a line, see `MessageEntity.answerer`. */
  async findAnswerer(manager: EntityManager, messageId: number | null): Promise<string | null> {
    return messageId === null ? null : ((await ORIGIN.first(manager, [messageId]))?.answerer ?? null);
  }
}
