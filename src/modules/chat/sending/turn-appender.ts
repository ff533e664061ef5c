import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { GuardPresence } from '../../../common/guard-presence';
import { Lifecycle } from '../../../common/lifecycle';
import { Database } from '../../../database/database';
import { findRow, rowExists } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import {
  InputGuard,
  Replies,
  type Sender,
  tokensOfTurn,
  type Turn,
  WaitingReplies,
} from '../../generation/generation.api';
import { StorageService, UsageService } from '../../usage/usage.api';
import { ChatEntity } from '../conversations/chat.entity';
import { GenerationInProgressError } from '../conversations/chat.errors';
import { findUnlocked } from '../conversations/locked-chat';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from '../history/conversation-history';
import { ReplyOrigins } from '../options/options.store';
import type { StoredTurn } from './exchange-plan';
import { type AddedTurn, addedTurns, insertTurns, taintChanges, turnEvent, turnsKept } from './exchange-rows';
import { TurnFiles } from './turn-files';

/** The result of `append`. */
interface Added {
  messages: AddedTurn[];
  at: Date;
}

/**
 * Adds turns to the end of a conversation without calling a model, for example imported messages or context for later.
 */
@Injectable()
export class TurnAppender {
  constructor(
    private readonly clock: Clock,
    private readonly files: TurnFiles,
    private readonly storage: StorageService,
    private readonly history: ConversationHistory,
    private readonly origins: ReplyOrigins,
    private readonly usage: UsageService,
    private readonly replies: Replies,
    private readonly database: Database,
    private readonly waitingReplies: WaitingReplies,
    private readonly lifecycle: Lifecycle,
    private readonly guards: GuardPresence,
    private readonly guard: InputGuard,
  ) {}

  /**
   * Checks quotas before an entry point fetches or decodes files, so that `keep` does not refuse the request after that
   * work.
   *
   * @throws StorageQuotaExceededError, ServiceUnavailableError if the disk has no space for files, and while the
   * process shuts down
   */
  async requireQuota(sender: Sender): Promise<void> {
    this.lifecycle.assertAcceptsWork();
    return this.files.requireStorage(sender);
  }

  /**
   * Stores the files of turns before the transaction, which must not wait for them.
   *
   * @param work opens the transaction and calls `append` in it
   * @throws StorageQuotaExceededError, ServiceUnavailableError, also while the process shuts down
   */
  async keep<Result>(
    sender: Sender,
    turns: readonly Turn[],
    work: (stored: StoredTurn[]) => Promise<Result>,
  ): Promise<Result> {
    this.lifecycle.assertAcceptsWork();
    return this.files.keep(sender, turns, true, work);
  }

  /**
   * Guards check the turns before anything is stored. Those of a single agent check them when it first gets them.
   *
   * @param chatId null: the turns start a conversation
   * @throws ContentBlockedError, GuardUnavailableError
   */
  async requireAllowed(sender: Sender, chatId: number | null, turns: readonly Turn[]): Promise<void> {
    if (this.guards.isAny && turns.length > 0) {
      await this.guard.requireAllowed(sender, { agent: null, chatId, language: null, turns, instructions: [] });
    }
  }

  /** Declines the actions that the last reply waits for. Call it before the transaction of `append`. */
  async declineWaiting(chatId: number): Promise<void> {
    const chat = await findRow(this.database.manager, ChatEntity, { id: chatId });
    if (chat?.lineEndId) {
      await this.waitingReplies.end(chat.lineEndId, 'declined');
    }
  }

  /**
   * Call it within `Database.write`, and unless the conversation is new, that within `repeatWhileLocked`.
   *
   * @param turns from `keep`
   * @returns the IDs of the messages, in the order of the turns
   * @throws ChatLockedError, ChatNotFoundError, GenerationInProgressError while a reply is running,
   * StorageQuotaExceededError
   */
  async append(
    manager: EntityManager,
    sender: Sender,
    chatId: number,
    turns: readonly StoredTurn[],
  ): Promise<number[]> {
    const { userId, apiKeyId } = sender;
    const { messages } = await this.replies.append<ChatEntity, Added>(manager, userId, {
      lock: () => findUnlocked(manager, chatId, userId),
      store: (chat) => this.store(manager, chat, turns, sender),
      claim: async (chat, { messages, at }) => {
        await this.usage.recordAdded(manager, { userId, apiKeyId, chatId, agentId: chat.agentId, at, messages });
        const line = { lineEndId: messages.at(-1)?.messageId, messageCount: chat.messageCount + turns.length };
        const changes = { ...line, lastMessageAt: at, updatedAt: at, ...taintChanges(turns, at) };
        await updateRows(manager, ChatEntity, changes, 'id = ?', [chatId]);
      },
      events: ({ agentId }, { messages, at }) =>
        messages.map((turn) => turnEvent({ userId, agentId, chatId, at }, turn)),
    });
    this.history.forgetOnCommit([chatId]);
    return messages.map(({ messageId }) => messageId);
  }

  private async store(
    manager: EntityManager,
    { id: chatId, messageCount, lineEndId: parentId, activeMessageId }: ChatEntity,
    turns: readonly StoredTurn[],
    sender: Sender,
  ): Promise<Added> {
    if (activeMessageId !== null) {
      throw new GenerationInProgressError(activeMessageId);
    }
    if (parentId !== null && (await rowExists(manager, MessageEntity, { id: parentId, status: 'requires_action' }))) {
      throw new GenerationInProgressError(parentId);
    }
    const at = this.clock.now();
    const last = turns.at(-1) as StoredTurn;
    const place = { id: null, parentId, position: messageCount + turns.length - 1 };
    const question = { ...last, ...place, tokens: tokensOfTurn(last), language: null };
    const task = { apiKeyId: sender.apiKeyId, startedAt: at };
    const answerer = await this.origins.findAnswerer(manager, parentId);
    const ids = await insertTurns(manager, { before: turns.slice(0, -1), question, answerer, task }, chatId);
    const messages = addedTurns(turns, ids);
    await this.storage.add(manager, sender, turnsKept(messages, true));
    return { messages, at };
  }
}
