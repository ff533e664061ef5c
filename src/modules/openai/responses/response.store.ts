import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, rowExists } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { ConversationQuery, OptionsStore, type StoredMessage } from '../../chat/chat.api';
import { StorageService } from '../../usage/usage.api';
import { ResponseEntity } from './response.entity';
import type { ResponseHead } from './wire/response-resource';
import type { ResponseSettings } from './wire/response-settings';
import { readWireId } from './wire/wire-ids';

/** A stored response and the message of its reply. */
export interface StoredResponse {
  row: ResponseEntity;
  message: StoredMessage;
}

/** The rows of stored responses. */
@Injectable()
export class ResponseStore {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationQuery,
    private readonly options: OptionsStore,
    private readonly storage: StorageService,
  ) {}

  /** The user's response with this id on the wire; null for every other text, and while its conversation is in the trash. */
  async find(userId: number, wireId: string): Promise<StoredResponse | null> {
    const id = readWireId('resp', wireId);
    if (id === null) {
      return null;
    }
    const row = await findRow(this.database.manager, ResponseEntity, { id, userId });
    const [message] = row === null ? [] : await this.conversations.find(userId, [id]);
    return row === null || message === undefined ? null : { row, message };
  }

  /** What a response repeats of its request; null for one that was not stored. */
  async headOf(messageId: number): Promise<ResponseHead | null> {
    const row = await findRow(this.database.manager, ResponseEntity, { id: messageId });
    return row && toHead(row);
  }

  /** In the transaction that stores the message of the reply. */
  async keep(manager: EntityManager, row: ResponseEntity): Promise<void> {
    await insertRow(manager, ResponseEntity, row);
  }

  /** Within `Database.write`, when it turns out what its model does not take. Of one that is not stored nothing changes. */
  async change(manager: EntityManager, id: number, settings: ResponseSettings): Promise<void> {
    await updateRows(manager, ResponseEntity, { settings }, 'message_id = ?', [id]);
  }

  /**
   * Its messages stay.
   *
   * @returns whether its conversation was made for responses, and had nothing else but this one left
   */
  delete({ row: { id, chatId }, message }: StoredResponse): Promise<boolean> {
    return this.database.write(async (manager) => {
      const row = await findRow(manager, ResponseEntity, { id });
      await deleteRows(manager, ResponseEntity, { id });
      // Under the id of its reply, what it repeats of its request counts for the storage.
      await this.storage.remove(manager, [id]);
      await this.options.forget(manager, message);
      if (row?.isInConversation) {
        // What it knew of the conversation, the others must know now.
        await updateRows(manager, ResponseEntity, { isInConversation: true }, 'chat_id = ?', [chatId]);
        return false;
      }
      const hasOthers = await rowExists(manager, ResponseEntity, { chatId });
      return !hasOthers && !(await this.conversations.hasPlainReply(manager, chatId));
    });
  }

  /** Somebody has named the conversation: it does not go with its last response. One of them needs to know. */
  async nameConversation(chatId: number): Promise<void> {
    const newest = await findRow(this.database.manager, ResponseEntity, { chatId }, { order: { id: 'DESC' } });
    if (newest !== null && !newest.isInConversation) {
      await this.database.write((manager) =>
        updateRows(manager, ResponseEntity, { isInConversation: true }, 'message_id = ?', [newest.id]),
      );
    }
  }
}

export function toHead({ id, chatId, createdAt, settings }: ResponseEntity): ResponseHead {
  return { messageId: id, chatId, createdAt, settings };
}
