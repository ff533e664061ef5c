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

/** How much of a conversation goes into a prompt. */
export interface HistoryLimits {
  messages: number;
  tokens: number;
}

/** A message in a prompt, with all its tokens. */
export interface PromptMessage extends Pick<MessageEntity, 'role' | 'content' | 'parts'> {
  tokens: number;
}

/** Bytes of all cached conversations together, and of one. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_BYTES_OF_ONE = 2 * 1_024 * 1_024;

/** How long an idle conversation stays in the cache. */
const REMEMBERED_MILLISECONDS = 5 * 60_000;
const SWEEP_MILLISECONDS = 60_000;

/** The Redis channel with the conversations that all instances drop from their caches. */
const CHANNEL = 'chat-history';

/** A message at the end of its conversation, with the state of the conversation's row when the message was stored. */
export interface NewMessage extends Pick<ChatEntity, 'lineEndId' | 'lastReplyId'> {
  content: string;
  parts: StoredPart[] | null;
  /** All tokens of the message, as stored. */
  tokens: number;
}

/** The history before the exchange of a reply; once that exchange has ended, including the exchange. */
interface Remembered {
  replyId: number;
  /** The message of the exchange; null once the exchange has ended. */
  question: PromptMessage | null;
  /** The limits within which `messages` is complete. */
  limits: HistoryLimits;
  messages: PromptMessage[];
}

/**
 * Reads the messages that precede an exchange, for the prompt. The end of an active conversation stays in memory,
 * because reading it for each message costs more than all other statements of an exchange together.
 *
 * A cached history is valid if the conversation's row has its last exchange both as the end of the line and as the last
 * started. Messages of an ended exchange never change, and every other exchange, edit or line change, on any instance,
 * changes one of the two columns.
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
  /** Increases when conversations are dropped. A history that was read before is then not cached. */
  private forgettings = 0;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, (ids) => this.forget(ids.split(',').map(Number)));
  }

  /**
   * The messages before the message of a reply, oldest first.
   *
   * @param most the limits if the message is short: within them, the result is cached for the next message
   * @param message null if it is not at the end of its conversation or its place is unknown: then the history is not
   * cached
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
      this.keep(chatId, { ...known, replyId: messageId, question: known.question ?? toPromptMessage(message) });
      return newest(known.messages, limits);
    }
    const { forgettings } = this;
    const messages = message?.lineEndId === null ? [] : await this.read(reply, message === null ? limits : most);
    if (message !== null && forgettings === this.forgettings) {
      this.keep(chatId, { replyId: messageId, question: toPromptMessage(message), limits: most, messages });
    }
    return newest(messages, limits);
  }

  /** The cached history for a new message, oldest first; null if it must be read. */
  known(chatId: number, message: NewMessage | null, limits: HistoryLimits): readonly PromptMessage[] | null {
    const known = this.remembered.get(chatId);
    const isKnown = known?.question === null && covers(known, limits) && isBefore(known, 0, message);
    return isKnown ? newest(known.messages, limits) : null;
  }

  /** All messages before the message of a reply, oldest first, uncached; null if they exceed `most`. */
  async all(reply: WrittenReply, most: HistoryLimits): Promise<PromptMessage[] | null> {
    const place = [reply.chatId, reply.userMessageId];
    const size = (await runForRow(this.database.manager, HISTORY_SIZE, place)) as [number | string, number | string];
    const [messages, tokens] = size.map(Number) as [number, number];
    return messages > most.messages || tokens > most.tokens ? null : this.read(reply, { messages, tokens });
  }

  /** Adds an exchange to the cached history when its end is committed. Call it within `Database.write`. */
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
      const added = [isRefused ? null : known.question, reply].filter(
        (message) => message !== null && message.tokens > 0,
      );
      const messages = newest([...known.messages, ...(added as PromptMessage[])], known.limits);
      this.keep(chatId, { ...known, question: null, messages });
    });
  }

  /** Removes deleted or erased conversations from the cache of every instance. */
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

  /** A timer, because nothing reads an idle conversation, which would evict it. */
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
    const history = (rows as HistoryRow[]).map(([role, content, taken, parts]): PromptMessage => ({
      role,
      content,
      parts: parts === null ? null : (JSON.parse(parts) as StoredPart[]),
      tokens: taken,
    }));
    const [, , , , position = 1] = (rows as HistoryRow[])[0] ?? [];
    return position === 0 || history.some(hasSummary)
      ? history
      : [...(await this.findSummary(chatId, userMessageId)), ...history];
  }

  /** The last summary in a conversation of which only the end goes into the prompt. */
  private async findSummary(chatId: number, messageId: number): Promise<PromptMessage[]> {
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

/**
 * Whether this is the history before the exchange of a reply: it was read for that reply, or it ends where the exchange
 * starts.
 */
function isBefore({ replyId, question }: Remembered, messageId: number, message: NewMessage | null): boolean {
  if (question !== null) {
    return replyId === messageId;
  }
  return message !== null && message.lineEndId === replyId && message.lastReplyId === replyId;
}

function toPromptMessage(message: NewMessage | null): PromptMessage | null {
  return message && { role: 'user', content: message.content, parts: message.parts, tokens: message.tokens };
}

/** Sizes of lists that are cached again for the next exchange. */
const sizes = new WeakMap<readonly PromptMessage[], number>();

/** An estimate, rather too high. */
function bytesOf({ messages, question }: Remembered): number {
  let bytes = sizes.get(messages);
  if (bytes === undefined) {
    bytes = messages.reduce((sum, message) => sum + bytesOfMessage(message), 500);
    sizes.set(messages, bytes);
  }
  return bytes + (question === null ? 0 : bytesOfMessage(question));
}

function bytesOfMessage({ content, parts }: PromptMessage): number {
  return 2 * (content.length + lengthOf(parts)) + 100;
}

/** Parts repeat the text and contain the arguments and results of functions, but no bytes of files. */
function lengthOf(parts: StoredPart[] | null): number {
  return (parts ?? []).reduce(
    (sum, part) => sum + (part.type === 'compaction' ? part.encrypted_content.length : 2 * partText(part).length),
    0,
  );
}

/** The newest messages within the limits, preceded by the last summary before them. */
function newest(history: PromptMessage[], limits: HistoryLimits): PromptMessage[] {
  const within = newestWithin(history, limits);
  const summary =
    within.length === history.length || within.some(hasSummary) ? undefined : history.findLast(hasSummary);
  return summary === undefined ? within : [...summaryOf(summary), ...within];
}

function hasSummary({ parts }: Pick<PromptMessage, 'parts'>): boolean {
  return parts?.some(({ type }) => type === 'compaction') ?? false;
}

/** A message that contains only the summary. */
function summaryOf({ parts }: Pick<PromptMessage, 'parts'>): PromptMessage[] {
  const [part] = (parts ?? []).filter((one) => one.type === 'compaction').slice(-1);
  return part ? [{ role: 'user', content: '', parts: [part], tokens: estimateParts([part]) }] : [];
}

function newestWithin(history: PromptMessage[], { messages, tokens }: HistoryLimits): PromptMessage[] {
  let first = history.length;
  for (let left = tokens; first > 0 && history.length - first < messages; first--) {
    left -= (history[first - 1] as PromptMessage).tokens + MESSAGE_OVERHEAD_TOKENS;
    if (left < 0) {
      break;
    }
  }
  return history.slice(first);
}
