import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { estimateParts, partText } from '../../../integrations/llm/counting/prompt-estimate';
import type { StoredPart, WrittenReply } from '../../generation/generation.api';
import type { ChatEntity } from '../conversations/chat.entity';
import type { MessageEntity } from '../conversations/message.entity';
import {
  HAS_OPTIONS,
  HISTORY,
  HISTORY_SIZE,
  type HistoryRow,
  MESSAGE_OVERHEAD_TOKENS,
  SUMMARY,
} from './history-statements';

/** How much of a conversation is told. */
export interface HistoryLimits {
  messages: number;
  tokens: number;
}

/** A message as it is told, with the tokens of all of it. */
export interface PromptMessage extends Pick<MessageEntity, 'role' | 'content' | 'parts'> {
  tokens: number;
}

/** Bytes of all remembered conversations together, and of one. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_BYTES_OF_ONE = 2 * 1_024 * 1_024;

/** A conversation that rests for so long is forgotten. */
const REMEMBERED_MILLISECONDS = 5 * 60_000;
const SWEEP_MILLISECONDS = 60_000;

/** The Redis channel that tells other instances which conversations to forget. */
const CHANNEL = 'chat-history';

/** A message at the end of its conversation, and how the conversation's row was when the message was stored. */
export interface NewMessage extends Pick<ChatEntity, 'lineEndId' | 'lastReplyId'> {
  content: string;
  parts: StoredPart[] | null;
  /** Tokens of all of it, as stored. */
  tokens: number;
}

/** What was told before the exchange of a reply; once that exchange has ended, with it. */
interface Remembered {
  replyId: number;
  /** The message of the exchange; null when the exchange has ended. */
  question: PromptMessage | null;
  /** No message within these limits is missing. */
  limits: HistoryLimits;
  messages: PromptMessage[];
}

/**
 * Knows what models are told of earlier messages. The end of a conversation that is being talked in stays in memory, because
 * to read it again for each message costs more than all other statements of an exchange together.
 *
 * What is remembered is right when the row of the conversation names its last exchange both as the end of the line and as
 * the one that began last: messages of an ended exchange never change, and each other exchange, edit or line, on whatever
 * instance, changes one of the two.
 */
@Injectable()
export class ConversationHistory {
  private readonly remembered = new LRUCache<number, Remembered>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_OF_ONE,
    sizeCalculation: bytesOf,
    ttl: REMEMBERED_MILLISECONDS,
    ttlResolution: 0,
  });
  private sweep: NodeJS.Timeout | undefined;
  /** Grows when conversations are forgotten: what was read before that is not kept. */
  private forgettings = 0;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, (ids) => this.forget(ids.split(',').map(Number)));
  }

  /**
   * What is told before the message of a reply, oldest first.
   *
   * @param most the limits when the message is short: within them, what is read is kept for the next message
   * @param message null when it stands elsewhere, or its place is not known: then its history is not kept
   */
  async before(
    reply: WrittenReply,
    limits: HistoryLimits,
    most: HistoryLimits,
    message: NewMessage | null,
  ): Promise<PromptMessage[]> {
    const { chatId, messageId } = reply;
    const known = this.remembered.get(chatId);
    if (known !== undefined && covers(known, most) && isBefore(known, messageId, message)) {
      this.keep(chatId, { ...known, replyId: messageId, question: known.question ?? toldOf(message) });
      return newest(known.messages, limits);
    }
    const { forgettings } = this;
    const messages = message?.lineEndId === null ? [] : await this.read(reply, message === null ? limits : most);
    if (message !== null && forgettings === this.forgettings) {
      this.keep(chatId, { replyId: messageId, question: toldOf(message), limits: most, messages });
    }
    return newest(messages, limits);
  }

  /** What will be told before a new message, oldest first; null when that must be read. */
  known(chatId: number, message: NewMessage | null, limits: HistoryLimits): readonly PromptMessage[] | null {
    const known = this.remembered.get(chatId);
    const isKnown = known?.question === null && covers(known, limits) && isBefore(known, 0, message);
    return isKnown ? newest(known.messages, limits) : null;
  }

  /** All that is told before the message of a reply, oldest first; null when it is more than that. It is not kept. */
  async all(reply: WrittenReply, most: HistoryLimits): Promise<PromptMessage[] | null> {
    const place = [reply.chatId, reply.userMessageId];
    const size = (await runForRow(this.database.manager, HISTORY_SIZE, place)) as [number | string, number | string];
    const [messages, tokens] = size.map(Number) as [number, number];
    return messages > most.messages || tokens > most.tokens ? null : this.read(reply, { messages, tokens });
  }

  /** Adds an exchange to what is remembered, when its end is committed. Call it within `Database.write`. */
  endedOnCommit(
    { chatId, messageId }: WrittenReply,
    { content, parts, tokenCount, failure }: Pick<MessageEntity, 'content' | 'parts' | 'tokenCount' | 'failure'>,
  ): void {
    this.database.onCommit(() => {
      const known = this.remembered.get(chatId);
      if (known?.replyId !== messageId || known.question === null) {
        return;
      }
      const isRefused = tokenCount === 0 && failure?.retryable === false;
      const reply: PromptMessage = { role: 'assistant', content, parts, tokens: tokenCount };
      const added = [isRefused ? null : known.question, reply].filter((told) => told !== null && told.tokens > 0);
      const messages = newest([...known.messages, ...(added as PromptMessage[])], known.limits);
      this.keep(chatId, { ...known, question: null, messages });
    });
  }

  /** For conversations that are put into the trash or erased: their texts leave the memory of every instance. */
  forgetOnCommit(chatIds: number[]): void {
    this.database.onCommit(() => {
      this.forget(chatIds);
      this.redis.publish(CHANNEL, chatIds.join());
    });
  }

  private forget(chatIds: number[]): void {
    this.forgettings++;
    chatIds.forEach((chatId) => this.remembered.delete(chatId));
  }

  private keep(chatId: number, remembered: Remembered): void {
    this.remembered.set(chatId, remembered);
    this.sweep ??= setInterval(() => this.forgetResting(), SWEEP_MILLISECONDS).unref();
  }

  /** By a timer, because what rests is not asked for. */
  private forgetResting(): void {
    this.remembered.purgeStale();
    if (this.remembered.size === 0) {
      clearInterval(this.sweep);
      this.sweep = undefined;
    }
  }

  private async read(
    { chatId, userMessageId }: WrittenReply,
    { messages, tokens }: HistoryLimits,
  ): Promise<PromptMessage[]> {
    const parameters = [chatId, userMessageId, messages, tokens];
    const { rows } = await runStatement(this.database.manager, HISTORY, parameters);
    const told = (rows as HistoryRow[]).map(([role, content, taken, parts]): PromptMessage => ({
      role,
      content,
      parts: parts === null ? null : (JSON.parse(parts) as StoredPart[]),
      tokens: taken,
    }));
    const [, , , , position = 1] = (rows as HistoryRow[])[0] ?? [];
    return position === 0 || told.some(hasSummary)
      ? told
      : [...(await this.summaryBefore(chatId, userMessageId)), ...told];
  }

  /** The last summary of a conversation of which models are told only the end. */
  private async summaryBefore(chatId: number, messageId: number): Promise<PromptMessage[]> {
    const { manager } = this.database;
    if ((await runForRow(manager, HAS_OPTIONS, [chatId])) === undefined) {
      return [];
    }
    const [parts] = (await runForRow(manager, SUMMARY, [chatId, messageId])) ?? [];
    return typeof parts === 'string' ? summaryOf({ parts: JSON.parse(parts) as StoredPart[] }) : [];
  }
}

function covers({ limits }: Remembered, { messages, tokens }: HistoryLimits): boolean {
  return messages <= limits.messages && tokens <= limits.tokens;
}

/** Whether this was told before the exchange of a reply: it was read for it, or it ends where the exchange begins. */
function isBefore({ replyId, question }: Remembered, messageId: number, message: NewMessage | null): boolean {
  if (question !== null) {
    return replyId === messageId;
  }
  return message !== null && message.lineEndId === replyId && message.lastReplyId === replyId;
}

function toldOf(message: NewMessage | null): PromptMessage | null {
  return message && { role: 'user', content: message.content, parts: message.parts, tokens: message.tokens };
}

/** About, and rather too many. */
function bytesOf({ messages, question }: Remembered): number {
  const told = question === null ? messages : [...messages, question];
  return told.reduce((bytes, { content, parts }) => bytes + 2 * (content.length + lengthOf(parts)) + 100, 500);
}

/** Parts hold the text once more, what functions were told and returned, and no bytes of files. */
function lengthOf(parts: StoredPart[] | null): number {
  return (parts ?? []).reduce(
    (sum, part) => sum + (part.type === 'compaction' ? part.encrypted_content.length : 2 * partText(part).length),
    0,
  );
}

/** The newest messages within the limits, and the last summary that stands before them. */
function newest(told: PromptMessage[], limits: HistoryLimits): PromptMessage[] {
  const within = newestWithin(told, limits);
  const summary = within.length === told.length || within.some(hasSummary) ? undefined : told.findLast(hasSummary);
  return summary === undefined ? within : [...summaryOf(summary), ...within];
}

function hasSummary({ parts }: Pick<PromptMessage, 'parts'>): boolean {
  return parts?.some(({ type }) => type === 'compaction') ?? false;
}

/** A message that is nothing but the summary in it. */
function summaryOf({ parts }: Pick<PromptMessage, 'parts'>): PromptMessage[] {
  const [part] = (parts ?? []).filter((one) => one.type === 'compaction').slice(-1);
  return part ? [{ role: 'user', content: '', parts: [part], tokens: estimateParts([part]) }] : [];
}

function newestWithin(told: PromptMessage[], { messages, tokens }: HistoryLimits): PromptMessage[] {
  let first = told.length;
  for (let left = tokens; first > 0 && told.length - first < messages; first--) {
    left -= (told[first - 1] as PromptMessage).tokens + MESSAGE_OVERHEAD_TOKENS;
    if (left < 0) {
      break;
    }
  }
  return told.slice(first);
}
