import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TokenUsage } from '../../common/token-usage';
import { utcDay } from '../../common/utc-day';
import { rowExists } from '../../database/statements/find';
import { insertBatch, insertRow } from '../../database/statements/insert';
import { NewChatEntity } from './folding/new-chat.entity';
import { countForKey } from './keys/key-usage';
import { type QuotaRemaining, QuotaService, type Spender } from './quota/quota.service';
import { addMessages, addReply, openAccount } from './quota/usage-account-statements';
import { UsageEntryEntity } from './usage-entry.entity';

/** A conversation that is being created. */
export interface ChatRecord {
  userId: number;
  /** The API key of the request. Null if none was used. */
  apiKeyId: number | null;
  agentId: number;
  at: Date;
}

/** A user message that is being stored. */
export interface UserMessageRecord extends Spender {
  chatId: number;
  messageId: number;
  agentId: number;
  at: Date;
}

/** Messages that a client adds to a conversation without a model request. */
export interface AddedMessages {
  userId: number;
  /** The API key of the request. Null if none was used. */
  apiKeyId: number | null;
  chatId: number;
  agentId: number;
  at: Date;
  messages: readonly Pick<UsageEntryEntity, 'messageId' | 'role'>[];
}

/** A reply that has ended, successfully or not. */
export interface ReplyRecord {
  userId: number;
  /** The API key of the request. Null if none was used. */
  apiKeyId: number | null;
  chatId: number;
  messageId: number;
  agentId: number;
  /** The model that answered, or failed to. Null if none was called. */
  model: string | null;
  usage: TokenUsage;
  /** The part that `recordRound` has already counted. Absent if there is none. */
  recordedUsage?: TokenUsage | null;
  status: 'completed' | 'stopped' | 'interrupted' | 'failed';
  /** Whether only its tokens count, because a compaction is not a message. */
  isCompaction?: boolean;
  /** When the user's message was taken from the quota. */
  startedAt: Date;
  at: Date;
  /** Milliseconds to the first token. Null if there was none. */
  firstTokenMs: number | null;
  /** Whether the user's message is returned to the day's quota, because the reply failed without a token. */
  returnMessage: boolean;
}

/**
 * Counts stored chats, messages and replies in the same transaction. Each method adds one row for `UsageFolding`, which
 * adds it to the sums. Messages also change the user's counters, which the quotas need to be exact. Both are the user's
 * own rows, so users never wait for each other.
 */
@Injectable()
export class UsageService {
  constructor(private readonly quotas: QuotaService) {}

  /** Counts a created chat. Takes one statement, or two with an API key. */
  async recordChat(manager: EntityManager, chat: ChatRecord): Promise<void> {
    const { userId, agentId, at } = chat;
    await insertRow(manager, NewChatEntity, { userId, agentId, day: utcDay(at) });
    await countForKey(manager, chat, utcDay(at), { chats: 1 });
  }

  /**
   * Counts a stored user message and takes it from the day's quota. Takes two statements, one more read on MySQL, and
   * one or two more statements with an API key.
   *
   * @returns what is left of the day's quotas
   * @throws QuotaExceededError when the messages or the tokens of the day are used up
   */
  recordUserMessage(manager: EntityManager, message: UserMessageRecord): Promise<QuotaRemaining> {
    const { userId, apiKeyId, chatId, messageId, agentId, at } = message;
    return this.quotas.takeMessage(manager, message, {
      messageId,
      userId,
      apiKeyId,
      chatId,
      agentId,
      role: 'user',
      model: null,
      promptTokens: 0,
      completionTokens: 0,
      tokens: 0,
      status: null,
      firstTokenMs: null,
      day: utcDay(at),
      createdAt: at,
      unsummed: 1,
    });
  }

  /** Whether a user message with this id was taken from the quota. It may have been returned since. */
  hasTakenMessage(manager: EntityManager, messageId: number): Promise<boolean> {
    return rowExists(manager, UsageEntryEntity, { messageId });
  }

  /**
   * Counts messages that were stored without a model request. They take nothing from the quota. Takes two statements
   * for a few messages, or three with an API key.
   */
  async recordAdded(manager: EntityManager, added: AddedMessages): Promise<void> {
    const { userId, apiKeyId, chatId, agentId, at, messages } = added;
    const day = utcDay(at);
    if (!(await addMessages(manager, userId, day, messages.length))) {
      await openAccount(manager, userId);
      await addMessages(manager, userId, day, messages.length);
    }
    const user_messages = messages.filter(({ role }) => role === 'user').length;
    await countForKey(manager, added, day, { messages: messages.length, user_messages });
    const entries = messages.map(({ messageId, role }): UsageEntryEntity => ({
      messageId,
      userId,
      apiKeyId,
      chatId,
      agentId,
      role,
      model: null,
      promptTokens: 0,
      completionTokens: 0,
      tokens: 0,
      status: null,
      firstTokenMs: null,
      day,
      createdAt: at,
      unsummed: 1,
    }));
    await insertBatch(manager, UsageEntryEntity, entries);
  }

  /**
   * Locks the user's counters, for work that locks the conversation before it counts. The counters must be locked
   * first.
   */
  holdAccount(manager: EntityManager, userId: number): Promise<void> {
    return openAccount(manager, userId);
  }

  /** Counts a stored reply and its tokens. Takes two statements, or three with an API key. */
  async recordReply(manager: EntityManager, reply: ReplyRecord): Promise<void> {
    const { userId, apiKeyId, chatId, messageId, agentId, model, status, firstTokenMs, at } = reply;
    const { prompt, completion, total } = reply.usage;
    await this.countReply(manager, reply);
    await countForKey(manager, reply, utcDay(at), {
      messages: reply.isCompaction ? 0 : 1,
      prompt_tokens: prompt - (reply.recordedUsage?.prompt ?? 0),
      completion_tokens: completion - (reply.recordedUsage?.completion ?? 0),
      tokens: total - (reply.recordedUsage?.total ?? 0),
      failed_replies: status === 'failed' ? 1 : 0,
    });
    await insertRow(manager, UsageEntryEntity, {
      messageId,
      userId,
      apiKeyId,
      chatId,
      agentId,
      role: reply.isCompaction ? 'compaction' : 'assistant',
      model,
      promptTokens: prompt,
      completionTokens: completion,
      tokens: total,
      status,
      firstTokenMs,
      day: utcDay(at),
      createdAt: at,
      unsummed: 1,
    });
  }

  /** Counts the tokens of a round if the reply continues. The end of the reply counts the rest and writes the row. */
  async recordRound(
    manager: EntityManager,
    round: Pick<ReplyRecord, 'userId' | 'apiKeyId' | 'usage' | 'startedAt' | 'at'>,
  ): Promise<void> {
    const { prompt, completion, total } = round.usage;
    await this.countReply(manager, { ...round, isCompaction: true, returnMessage: false });
    const sums = { prompt_tokens: prompt, completion_tokens: completion, tokens: total };
    await countForKey(manager, round, utcDay(round.at), sums);
  }

  /** Call it before costly work for a request that will take a message. @throws QuotaExceededError */
  requireAnyLeft(spender: Spender): Promise<void> {
    return this.quotas.requireAnyLeft(spender);
  }

  /**
   * For work that costs tokens but is not a new message, such as repeating a reply. Call it before the model request.
   * It locks the user's own row, as a message does.
   *
   * @param retakesMessage whether it also takes a message from the day's quota: a stored one that was returned to it
   * @returns what is left of the day's quotas
   * @throws QuotaExceededError when the tokens, or the messages that it takes, are used up
   */
  requireTokens(manager: EntityManager, spender: Spender, retakesMessage = false): Promise<QuotaRemaining> {
    return this.quotas.requireTokens(manager, spender, retakesMessage);
  }

  /** The user's remaining quotas of today, limited to those of this API key. */
  remaining(spender: Spender): Promise<QuotaRemaining> {
    return this.quotas.remaining(spender);
  }

  private async countReply(
    manager: EntityManager,
    reply: Pick<
      ReplyRecord,
      'userId' | 'isCompaction' | 'usage' | 'recordedUsage' | 'startedAt' | 'at' | 'returnMessage'
    >,
  ): Promise<void> {
    const change = {
      messages: reply.isCompaction ? 0 : 1,
      tokens: reply.usage.total - (reply.recordedUsage?.total ?? 0),
      startedDay: utcDay(reply.startedAt),
      returned: reply.returnMessage ? 1 : 0,
    };
    if (!(await addReply(manager, reply.userId, utcDay(reply.at), change))) {
      await openAccount(manager, reply.userId);
      await addReply(manager, reply.userId, utcDay(reply.at), change);
    }
  }
}
