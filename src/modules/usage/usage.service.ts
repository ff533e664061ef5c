import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TokenUsage } from '../../common/token-usage';
import { utcDay } from '../../common/utc-day';
import { insertBatch, insertRow } from '../../database/statements/insert';
import { NewChatEntity } from './folding/new-chat.entity';
import { countForKey } from './keys/key-usage';
import { type QuotaRemaining, QuotaService, type Spender } from './quota/quota.service';
import { addMessages, addReply, openAccount } from './quota/usage-account-statements';
import { UsageEntryEntity } from './usage-entry.entity';

/** A conversation that is being created. */
export interface ChatRecord {
  userId: number;
  /** The API key that it is created with; null: none. */
  apiKeyId: number | null;
  agentId: number;
  at: Date;
}

/** A user's message that is being stored. */
export interface UserMessageRecord extends Spender {
  chatId: number;
  messageId: number;
  agentId: number;
  at: Date;
}

/** Messages that a program adds to a conversation: no model is asked for them. */
export interface AddedMessages {
  userId: number;
  /** The API key that they are sent with; null: none. */
  apiKeyId: number | null;
  chatId: number;
  agentId: number;
  at: Date;
  messages: readonly Pick<UsageEntryEntity, 'messageId' | 'role'>[];
}

/** A reply that has ended, in success or not. */
export interface ReplyRecord {
  userId: number;
  /** The API key that asked for it; null: none. */
  apiKeyId: number | null;
  chatId: number;
  messageId: number;
  agentId: number;
  /** The model that answered, or failed to; null when none was asked. */
  model: string | null;
  usage: TokenUsage;
  /** What of it was counted by `recordRound`; absent: nothing. */
  counted?: TokenUsage | null;
  status: 'completed' | 'stopped' | 'interrupted' | 'failed';
  /** Whether only its tokens count, because it is no message. */
  isCompaction?: boolean;
  /** When the user's message was taken from the quota. */
  startedAt: Date;
  at: Date;
  /** Milliseconds to the first token; null when there was none. */
  firstTokenMs: number | null;
  /** Whether the day's quota gets the user's message back, because the reply failed without a token. */
  returnMessage: boolean;
}

/**
 * Counts what is stored, in the same transaction. Each method adds one row for `UsageFolding`, which brings it into the
 * sums. Messages also change the user's counters, which the quotas need exact at once. Both are the user's own rows, so
 * users never wait for each other.
 */
@Injectable()
export class UsageService {
  constructor(private readonly quotas: QuotaService) {}

  /** Counts a created chat. One statement; with an API key two. */
  async recordChat(manager: EntityManager, chat: ChatRecord): Promise<void> {
    const { userId, agentId, at } = chat;
    await insertRow(manager, NewChatEntity, { userId, agentId, day: utcDay(at) });
    await countForKey(manager, chat, utcDay(at), { chats: 1 });
  }

  /**
   * Counts a stored user message and takes it from the day's quota. Two statements; on MySQL one more read, and with an API
   * key one or two more.
   *
   * @returns what is left of the day's quotas
   * @throws QuotaExceededError when the messages or the tokens of the day are used up.
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

  /**
   * Counts stored messages of which no model was asked: they take nothing from the quota. Two statements for a few messages;
   * with an API key three.
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

  /** Locks the user's counters, for work that locks the conversation before it counts: the counters come first. */
  holdAccount(manager: EntityManager, userId: number): Promise<void> {
    return openAccount(manager, userId);
  }

  /** Counts a stored reply and its tokens. Two statements; with an API key three. */
  async recordReply(manager: EntityManager, reply: ReplyRecord): Promise<void> {
    const { userId, apiKeyId, chatId, messageId, agentId, model, status, firstTokenMs, at } = reply;
    const { prompt, completion, total } = reply.usage;
    await this.countReply(manager, reply);
    await countForKey(manager, reply, utcDay(at), {
      messages: reply.isCompaction ? 0 : 1,
      prompt_tokens: prompt - (reply.counted?.prompt ?? 0),
      completion_tokens: completion - (reply.counted?.completion ?? 0),
      tokens: total - (reply.counted?.total ?? 0),
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

  /** Counts the tokens of a round of a reply that goes on: its end counts the rest, and writes the row. */
  async recordRound(
    manager: EntityManager,
    round: Pick<ReplyRecord, 'userId' | 'apiKeyId' | 'usage' | 'startedAt' | 'at'>,
  ): Promise<void> {
    const { prompt, completion, total } = round.usage;
    await this.countReply(manager, { ...round, isCompaction: true, returnMessage: false });
    const sums = { prompt_tokens: prompt, completion_tokens: completion, tokens: total };
    await countForKey(manager, round, utcDay(round.at), sums);
  }

  /** Before costly work for a request that will take a message. @throws QuotaExceededError */
  requireAnyLeft(spender: Spender): Promise<void> {
    return this.quotas.requireAnyLeft(spender);
  }

  /**
   * For work that costs tokens but is not a new message, such as repeating a reply. Call it before you ask the model.
   * It locks the user's own row, as a message does.
   *
   * @param retakesMessage whether it also takes a message from the day's quota: one that is stored, and had gone back to it
   * @returns what is left of the day's quotas
   * @throws QuotaExceededError when the tokens, or the messages that it takes, are used up.
   */
  requireTokens(manager: EntityManager, spender: Spender, retakesMessage = false): Promise<QuotaRemaining> {
    return this.quotas.requireTokens(manager, spender, retakesMessage);
  }

  /** What the user may still use today, with the same API key. */
  remaining(spender: Spender): Promise<QuotaRemaining> {
    return this.quotas.remaining(spender);
  }

  private async countReply(
    manager: EntityManager,
    reply: Pick<ReplyRecord, 'userId' | 'isCompaction' | 'usage' | 'counted' | 'startedAt' | 'at' | 'returnMessage'>,
  ): Promise<void> {
    const change = {
      messages: reply.isCompaction ? 0 : 1,
      tokens: reply.usage.total - (reply.counted?.total ?? 0),
      startedDay: utcDay(reply.startedAt),
      returned: reply.returnMessage ? 1 : 0,
    };
    if (!(await addReply(manager, reply.userId, utcDay(reply.at), change))) {
      await openAccount(manager, reply.userId);
      await addReply(manager, reply.userId, utcDay(reply.at), change);
    }
  }
}
