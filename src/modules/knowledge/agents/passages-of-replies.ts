import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import type { Passage, SearchedFile } from '../../../integrations/llm/port/message-parts';
import { type KnowledgeSource, ReplyKnowledge } from '../../generation/generation.api';
import { PassageTexts } from '../search/passage-texts';
import { SearchedStores } from '../search/searched-stores';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { ChatFiles } from './chat-files';

/** What replies may search, and the texts of the passages that they were given, by the rights of their user now. */
@Injectable()
export class PassagesOfReplies implements KnowledgeSource {
  constructor(
    private readonly database: Database,
    private readonly stores: SearchedStores,
    private readonly texts: PassageTexts,
    private readonly files: ChatFiles,
    replies: ReplyKnowledge,
  ) {
    replies.useSource(this);
  }

  async searchable(userId: number, ids: readonly number[]): Promise<{ id: number; name: string }[]> {
    const readable = await this.stores.newest({ userId }, ids);
    const where = { id: In(readable) };
    const stores =
      readable.length === 0
        ? []
        : await findRows(this.database.manager, KnowledgeStoreEntity, where, { members: ['id', 'name'] });
    return stores.sort((one, other) => one.id - other.id);
  }

  async textsOf(userId: number, passages: readonly Passage[]): Promise<(string | null)[]> {
    const textIds = await this.stores.textIdsOf(userId, passages);
    const ranges = passages.map(({ start, end }, index) => ({ textId: textIds[index] ?? null, start, end }));
    const known = ranges.flatMap((range) => (range.textId === null ? [] : [{ ...range, textId: range.textId }]));
    const read = await this.texts.read(known);
    let next = 0;
    return ranges.map(({ textId }) => (textId === null ? null : (read[next++] ?? null)));
  }

  notesOf(chatId: number, files: readonly SearchedFile[], signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
    return this.files.notesOf(chatId, files, signal);
  }
}
