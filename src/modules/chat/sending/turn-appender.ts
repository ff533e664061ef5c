import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findLocked } from '../../../database/row-lock';
import { updateRows } from '../../../database/row-statements';
import { BlobReferences } from '../../../integrations/blob-store/blob-references';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError } from '../conversations/chat.errors';
import { fileHashes, storeParts } from '../conversations/stored-parts';
import { ReplyOrigins } from '../reply/asking/reply-origins';
import { ConversationHistory } from '../reply/conversation-history';
import type { Turn } from '../reply/running-reply';
import { type StoredTurn, tokensOfTurn } from './exchange-plan';
import type { Sender } from './exchange-request';
import { insertTurns } from './exchange-rows';

/** Adds turns to the end of a conversation without asking a model: what was said elsewhere, or is to be known later. */
@Injectable()
export class TurnAppender {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly blobs: BlobStore,
    private readonly references: BlobReferences,
    private readonly history: ConversationHistory,
    private readonly origins: ReplyOrigins,
  ) {}

  /**
   * @returns the ids of the messages, in the order of the turns
   * @throws ChatNotFoundError, GenerationInProgressError while a reply is written
   */
  async append(sender: Sender, chatId: number, turns: readonly Turn[]): Promise<number[]> {
    const stored = await Promise.all(
      turns.map(async (turn) => ({ ...turn, stored: turn.parts && (await storeParts(this.blobs, turn.parts)) })),
    );
    return this.database.write(async (manager) => {
      const chat = await findLocked(manager, ChatEntity, { id: chatId, userId: sender.userId });
      if (chat === null) {
        throw new ChatNotFoundError();
      }
      if (chat.activeMessageId !== null) {
        throw new GenerationInProgressError(chat.activeMessageId);
      }
      const ids = await this.insert(manager, chat, stored, sender);
      const at = this.clock.now();
      const line = { lineEndId: ids.at(-1) as number, messageCount: chat.messageCount + turns.length };
      await updateRows(manager, ChatEntity, { ...line, lastMessageAt: at, updatedAt: at }, 'id = ?', [chatId]);
      this.history.forgetOnCommit([chatId]);
      return ids;
    });
  }

  private async insert(
    manager: EntityManager,
    { id: chatId, messageCount, lineEndId: parentId }: ChatEntity,
    turns: readonly StoredTurn[],
    { apiKeyId }: Sender,
  ): Promise<number[]> {
    const last = turns.at(-1) as StoredTurn;
    const place = { id: null, parentId, position: messageCount + turns.length - 1 };
    const question = { ...last, ...place, tokens: tokensOfTurn(last), language: null };
    const task = { keeping: 'conversation', apiKeyId, startedAt: this.clock.now() } as const;
    const answerer = await this.origins.answererAt(manager, parentId);
    const ids = await insertTurns(manager, { before: turns.slice(0, -1), question, answerer, task }, chatId);
    for (const [index, { stored }] of turns.entries()) {
      await this.references.add(manager, ids[index] as number, fileHashes(stored));
    }
    return ids;
  }
}
