import {
  type Beginning,
  type CountedTexts,
  type GenerationOptions,
  type GenerationTask,
  isTightening,
  NO_OPTIONS,
  type PolicyOverrides,
  type StoredPart,
  tokensOfTurn,
  type ToolOffer,
  type Turn,
  type TurnPart,
  wordsOf,
} from '../../generation/generation.api';
import type { MessageEntity } from '../conversations/message.entity';
import type { NewMessage } from '../history/conversation-history';
import type { AskedWith } from '../options/options.store';
import { answererOf, type ReplyAgent } from '../options/reply-agents';
import type { ChatReplyFacts } from '../title/reply-titler';
import { titleFromMessage } from '../title/title-from-message';
import type { ExchangeRequest, NewConversation, StoredSubject } from './exchange-request';

/** What an exchange finds when it begins, read in its transaction. */
export interface Found {
  chat: FoundChat;
  /** The user's message that gets another wording or another reply; null for a new message. */
  earlier: MessageEntity | null;
  /** Whether that message no longer counts for the quota, because a crash cut its reply before a word came. */
  isReturned: boolean;
  /** The message that new turns follow, when they do not stand at the end of the line; null: they do. */
  branch: MessageEntity | null;
  agent: ReplyAgent;
  /** How the reply that is replaced was asked for; null: the exchange replaces none, or none with options. */
  origin: AskedWith | null;
  at: Date;
}

/** What an exchange needs to know of the chat and of its owner. */
export interface FoundChat {
  /** 0: the exchange makes the chat. */
  id: number;
  agentId: number;
  /** Language tag that the chat was created with. */
  language: string | null;
  isUntitled: boolean;
  /** Messages on the current line. */
  messageCount: number;
  /** The last message of the current line; null in an empty chat. */
  lineEndId: number | null;
  /** The reply that began last; null before the first one. */
  lastReplyId: number | null;
  /** The reply at the end of the line that waits for a person; null: none does. */
  waitingReplyId: number | null;
  /** The reply that is being written; null: the chat is free. */
  activeMessageId: number | null;
  customInstructions: string;
  /** Who answers instead of the agent what follows the end of the line; null: the agent. */
  answerer: string | null;
}

/** A turn with its parts as they are stored. */
export interface StoredTurn extends Turn {
  stored: StoredPart[] | null;
}

/** What an exchange will store and do. */
export interface ExchangePlan extends Beginning, Pick<ExchangeRequest, 'keep'> {
  chat: FoundChat;
  /** The conversation that the exchange makes; null: it is there. */
  made: NewConversation | null;
  /** Turns that are stored before the question, oldest first; mostly none. */
  before: readonly StoredTurn[];
  question: Question;
  /** The message where the current line is cut off to make room; null: the line only grows. */
  replaced: MessageEntity | null;
  /** The message behind which the line is cut off; null: nowhere. */
  branch: MessageEntity | null;
  /** Who answers, as the reply names it; null: the agent of the conversation. */
  answerer: string | null;
  /** Whether the texts of its turns count for the storage of the user: they are a program's. */
  countsTexts: boolean;
  /** Bytes of what `keep` stores that count for the storage of the user. */
  keptBytes: number;
  /** What it is asked for with, to ask for it again: without the tools of the agent, which may be others then. */
  options: GenerationOptions | null;
  /** What the conversation knows of it. */
  facts: ChatReplyFacts;
}

/** The message that is answered. Its reply takes the same position. */
export interface Question {
  /** Null for a message that is stored by this exchange. */
  id: number | null;
  role: Turn['role'];
  position: number;
  /** For the first message that this exchange stores. */
  parentId: number | null;
  content: string;
  parts: readonly TurnPart[] | null;
  stored: StoredPart[] | null;
  /** Tokens of all of it, mostly estimated. */
  tokens: number;
  language: string | null;
}

/** How the message is to be answered. */
interface ExchangeWish {
  options: GenerationOptions | null;
  tightening: PolicyOverrides;
  offered: Awaited<ReturnType<ToolOffer['of']>>;
}

/**
 * Says what sending, editing and regenerating do, and where they differ: an edit stores a new message at the place of the
 * earlier one, a regeneration keeps that message and remembers where the line ended, turns of a program follow the message
 * that they name.
 *
 * @param turns the turns of a program, with their parts as stored; none for other subjects
 * @param wish how it is to be answered, from `optionsFor` (null: as the agent says), how it tightens the policies of the agent, and
 *   the tools that the agent calls itself (null: none)
 */
export function planExchange(
  request: ExchangeRequest,
  subject: StoredSubject,
  { chat, earlier, isReturned, branch, agent, at }: Found,
  turns: readonly StoredTurn[],
  counted: CountedTexts,
  { options, tightening, offered }: ExchangeWish,
): ExchangePlan {
  const { sender, language, endsWithReaders, chatId, repeatable, keep, keptBytes = 0 } = request;
  const keepsMessage = subject.kind === 'regenerate';
  const asked = turns.at(-1) ?? askedBy(subject, earlier);
  const before = turns.slice(0, -1);
  const question: Question = {
    ...asked,
    ...placeOf({ chat, earlier, branch }, before, keepsMessage),
    tokens: tokensOfTurn(asked, counted),
    language: language ?? earlier?.language ?? null,
  };
  const task: GenerationTask = {
    ...sender,
    agent,
    language: question.language ?? chat.language,
    customInstructions: chat.customInstructions,
    counted,
    messages: options?.compaction === 'only' ? 0 : keepsMessage ? 1 : 2,
    endsWithReaders,
    options,
    ...offered,
    keepEnd: request.keepEnd,
    startedAt: at,
  };
  return {
    task,
    repeatable,
    messageCount: question.position + 2,
    retakesMessage: isReturned && task.messages > 0,
    chat,
    made: typeof chatId === 'number' ? null : chatId,
    before,
    question,
    replaced: earlier,
    branch,
    answerer: answererOf(agent, chat.agentId),
    countsTexts: subject.kind === 'turns',
    options: isTightening(tightening) ? { ...(options ?? NO_OPTIONS), tightening } : options,
    keep,
    keptBytes,
    facts: factsOf({ chat, earlier, branch }, before, question, keepsMessage),
  };
}

/**
 * What a request wants, or how the reply was asked for that it replaces. Another wording is to be answered, also where there
 * was only a summary.
 */
export function optionsFor(
  { options: wanted }: Pick<ExchangeRequest, 'options'>,
  subject: StoredSubject,
  { origin }: Pick<Found, 'origin'>,
): GenerationOptions | null {
  if (wanted !== undefined) {
    return wanted;
  }
  const options = origin?.options ?? null;
  if (subject.kind === 'regenerate' || options?.compaction !== 'only') {
    return options;
  }
  const { compaction: _only, ...others } = options;
  return others;
}

/** The question as a new message at the end of the conversation. */
/** Where the question is in its chat. */
function placeOf(
  { chat, earlier, branch }: Pick<Found, 'chat' | 'earlier' | 'branch'>,
  before: readonly StoredTurn[],
  keepsMessage: boolean,
): Pick<Question, 'id' | 'position' | 'parentId'> {
  return {
    id: keepsMessage ? (earlier?.id ?? null) : null,
    position: earlier?.position ?? positionAfter(branch ?? chat, before),
    parentId: earlier === null ? (branch?.id ?? chat.lineEndId) : earlier.parentId,
  };
}

/** What the end of the reply needs to know of the chat as it was found. */
function factsOf(
  { chat, earlier, branch }: Pick<Found, 'chat' | 'earlier' | 'branch'>,
  before: readonly StoredTurn[],
  question: Question,
  keepsMessage: boolean,
): ChatReplyFacts {
  const { parts, stored } = question;
  const isPlain = earlier === null && branch === null && before.length === 0 && question.role === 'user';
  return {
    title: chat.isUntitled ? titleFromMessage(wordsOf({ ...question, parts: parts ?? stored })) : null,
    isUntitled: chat.isUntitled,
    formerLineEndId: keepsMessage ? chat.lineEndId : null,
    // Files that stand in the store must be read first.
    question: stored !== null && parts === null ? null : question,
    message: isPlain ? newMessage(chat, question) : null,
  };
}

function newMessage({ lineEndId, lastReplyId }: FoundChat, { content, stored: parts, tokens }: Question): NewMessage {
  return { lineEndId, lastReplyId, content, parts, tokens };
}

/** How many messages stand before the question. A reply has the position of what it answers. */
function positionAfter(last: MessageEntity | FoundChat, before: readonly StoredTurn[]): number {
  const first = 'messageCount' in last ? last.messageCount : last.position + (last.role === 'assistant' ? 2 : 1);
  return first + before.length;
}

/** The message of a person: a new one, another wording, which keeps the files of the earlier one, or that one itself. */
function askedBy(subject: StoredSubject, earlier: MessageEntity | null): StoredTurn {
  const stored = earlier?.parts ?? null;
  if (subject.kind === 'regenerate' || subject.kind === 'turns') {
    return { role: earlier?.role ?? 'user', content: earlier?.content ?? '', parts: null, stored };
  }
  const { content } = subject;
  const others = (stored ?? []).filter(({ type }) => type !== 'text');
  const kept: StoredPart[] = [{ type: 'text', text: content }, ...others];
  return { role: 'user', content, parts: null, stored: others.length > 0 ? kept : null };
}
