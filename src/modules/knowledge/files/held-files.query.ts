import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import type { Where } from '../../../database/statements/row-condition';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from '../tables/knowledge-text.entity';

/** Uploads for the export of a legal hold, including deleted ones that only the hold keeps. */
@Injectable()
export class HeldFilesQuery {
  constructor(private readonly database: Database) {}

  /** @param of whose files: those of a user, or of a conversation */
  async *rows(of: { userId: number } | { chatId: number }): AsyncGenerator<object> {
    const where: Where<KnowledgeFileEntity> =
      'userId' in of
        ? [{ ownerId: of.userId }, { heldOwnerId: of.userId }]
        : [{ chatId: of.chatId }, { heldChatId: of.chatId }];
    for await (const files of keysetBatches(this.database.manager, KnowledgeFileEntity, where)) {
      for (const file of files) {
        yield {
          id: file.id,
          user_id: file.ownerId ?? file.heldOwnerId,
          chat_id: file.chatId ?? file.heldChatId,
          hash: file.sha256,
          media_type: file.mediaType,
          name: file.filename,
          bytes: file.bytes,
          purpose: file.purpose,
          created_at: file.createdAt.toISOString(),
          deleted_at: file.deletedAt?.toISOString() ?? null,
          text: await this.textOf(file),
          collections: await this.collectionsOf(file.id),
        };
      }
    }
  }

  private async collectionsOf(fileId: number): Promise<object[]> {
    const { manager } = this.database;
    const entries = await findRows(manager, KnowledgeEntryEntity, { fileId });
    const stores = await findRows(manager, KnowledgeStoreEntity, { id: In(entries.map(({ storeId }) => storeId)) });
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    return entries.map(({ storeId, attributes, createdAt }) => ({
      id: storeId,
      name: names.get(storeId) ?? null,
      attributes,
      added_at: createdAt.toISOString(),
      deleted_at: null,
    }));
  }

  /** A deleted file shares its text with another file of its owner, or has taken it along. */
  private async textOf({ ownerId, heldOwnerId, sha256 }: KnowledgeFileEntity): Promise<string | null> {
    const { manager } = this.database;
    const owners = [ownerId, heldOwnerId, null].map((id) => ({ ownerId: id ?? IsNull(), sha256 }));
    const newest = { members: ['id' as const], order: { id: 'DESC' as const } };
    const text = await findRow(manager, KnowledgeTextEntity, owners, newest);
    if (text === null) {
      return null;
    }
    const pieces = keysetBatches(manager, KnowledgeTextPieceEntity, { textId: text.id }, { by: 'number', rows: 10 });
    let content = '';
    for await (const batch of pieces) {
      content += batch.map((piece) => piece.text).join('');
    }
    return content;
  }
}
