import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { findRow, rowExists } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { RunEnds, type Sender, tokensOfTurn, type Turn } from '../../generation/generation.api';
import { StorageService, UsageService } from '../../usage/usage.api';
import { ReplyOrigins } from '../asking/reply-origins';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError } from '../conversations/chat.errors';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from '../history/conversation-history';
import { addedTurns, turnEvent } from './added-turns';
import type { StoredTurn } from './exchange-plan';
import { insertTurns } from './exchange-rows';
import { keptBy, TurnFiles } from './turn-files';

/** Adds turns to the end of a conversation without asking a model: what was said elsewhere, or is to be known later. */
@Injectable()
export class TurnAppender {
  constructor(
    private readonly clock: Clock,
    private readonly files: TurnFiles,
    private readonly storage: StorageService,
    private readonly history: ConversationHistory,
    private readonly origins: ReplyOrigins,
    private readonly usage: UsageService,
    private readonly events: DomainEvents,
    private readonly database: Database,
    private readonly ends: RunEnds,
  ) {}

  /**
   * For entries that fetch or decode files before `keep`: refuses what would be refused there, before such work.
   *
   * @throws StorageQuotaExceededError, ServiceUnavailableError when the disk has no room for files
   */
  requireRoom(sender: Sender): Promise<void> {
    return this.files.requireRoom(sender);
  }

  /**
   * Stores the files of turns before the transaction, which must not wait for them.
   *
   * @param work opens the transaction, and calls `append` in it
   * @throws StorageQuotaExceededError, ServiceUnavailableError
   */
  keep<Result>(
    sender: Sender,
    turns: readonly Turn[],
    work: (stored: StoredTurn[]) => Promise<Result>,
  ): Promise<Result> {
    return this.files.keep(sender, turns, true, work);
  }

  /** The conversation goes on without what waits in it for a person. Call it before the transaction of `append`. */
  async declineWaiting(chatId: number): Promise<void> {
    const chat = await findRow(this.database.manager, ChatEntity, { id: chatId });
    if (chat?.lineEndId) {
      await this.ends.end(chat.lineEndId, 'declined');
    }
  }

  /**
   * Call it within `Database.write`.
   *
   * @param turns from `keep`
   * @returns the ids of the messages, in the order of the turns
   * @throws ChatNotFoundError, GenerationInProgressError while a reply is written, StorageQuotaExceededError
   */
  async append(
    manager: EntityManager,
    sender: Sender,
    chatId: number,
    turns: readonly StoredTurn[],
  ): Promise<number[]> {
    const { userId, apiKeyId } = sender;
    // The counters of the user come before the conversation, as for every exchange.
    await this.usage.holdAccount(manager, userId);
    const chat = await findLocked(manager, ChatEntity, { id: chatId, userId });
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    if (chat.activeMessageId !== null) {
      throw new GenerationInProgressError(chat.activeMessageId);
    }
    const { lineEndId } = chat;
    if (lineEndId !== null && (await rowExists(manager, MessageEntity, { id: lineEndId, status: 'requires_action' }))) {
      throw new GenerationInProgressError(lineEndId);
    }
    const at = this.clock.now();
    const ids = await this.insert(manager, chat, turns, sender, at);
    const place = { userId, apiKeyId, chatId, agentId: chat.agentId, at };
    const added = addedTurns(turns, ids);
    await this.usage.recordAdded(manager, { ...place, messages: added });
    const line = { lineEndId: ids.at(-1) as number, messageCount: chat.messageCount + turns.length };
    await updateRows(manager, ChatEntity, { ...line, lastMessageAt: at, updatedAt: at }, 'id = ?', [chatId]);
    await this.events.publishAll(
      manager,
      added.map((turn) => turnEvent(place, turn)),
    );
    this.history.forgetOnCommit([chatId]);
    return ids;
  }

  private async insert(
    manager: EntityManager,
    { id: chatId, messageCount, lineEndId: parentId }: ChatEntity,
    turns: readonly StoredTurn[],
    sender: Sender,
    startedAt: Date,
  ): Promise<number[]> {
    const last = turns.at(-1) as StoredTurn;
    const place = { id: null, parentId, position: messageCount + turns.length - 1 };
    const question = { ...last, ...place, tokens: tokensOfTurn(last), language: null };
    const task = { apiKeyId: sender.apiKeyId, startedAt };
    const answerer = await this.origins.answererAt(manager, parentId);
    const ids = await insertTurns(manager, { before: turns.slice(0, -1), question, answerer, task }, chatId);
    const kept = turns.map((turn, index) => keptBy(ids[index] as number, turn, true));
    await this.storage.add(manager, sender, kept);
    return ids;
  }
}
