import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { insertRow } from '../../../database/row-statements';
import { ConversationQuery, type StoredMessage } from '../../chat/chat.api';
import { ResponseEntity } from './response.entity';
import type { ResponseHead } from './wire/response-resource';
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
  ) {}

  /** The user's response with this id on the wire; null for every other text, and while its conversation is in the trash. */
  async find(userId: number, wireId: string): Promise<StoredResponse | null> {
    const id = readWireId('resp', wireId);
    if (id === null) {
      return null;
    }
    const row = await this.database.repository(ResponseEntity).findOneBy({ id, userId });
    const [message] = row === null ? [] : await this.conversations.find(userId, [id]);
    return row === null || message === undefined ? null : { row, message };
  }

  /** What a response repeats of its request; null for one that was not stored. */
  async headOf(messageId: number): Promise<ResponseHead | null> {
    const row = await this.database.repository(ResponseEntity).findOneBy({ id: messageId });
    return row && toHead(row);
  }

  /** In the transaction that stores the message of the reply. */
  async keep(manager: EntityManager, row: ResponseEntity): Promise<void> {
    await insertRow(manager, ResponseEntity, row);
  }

  /** @returns how many stored responses its conversation still has */
  delete({ id, chatId }: ResponseEntity): Promise<number> {
    return this.database.write(async (manager) => {
      await manager.delete(ResponseEntity, { id });
      return manager.countBy(ResponseEntity, { chatId });
    });
  }
}

export function toHead({ id, chatId, createdAt, settings }: ResponseEntity): ResponseHead {
  return { messageId: id, chatId, createdAt, settings };
}
