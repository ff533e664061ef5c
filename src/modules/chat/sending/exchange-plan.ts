import type { SearchedFile } from '../../../integrations/llm/port/message-parts';
import {
  type Beginning,
  type GenerationOptions,
  type GenerationTask,
  isTightening,
  NO_OPTIONS,
  type PolicyOverrides,
  type StoredPart,
  type TokenCounts,
  tokensOfTurn,
  type ToolOffer,
  type Turn,
  type TurnPart,
  wordsOf,
} from '../../generation/generation.api';
import type { MessageEntity } from '../conversations/message.entity';
import type { NewMessage } from '../history/conversation-history';
import type { ReplySettings } from '../options/options.store';
import { answererOf, type ReplyAgent } from '../options/reply-agents';
import type { ChatReplyFacts } from '../title/reply-titler';
import { titleFromMessage } from '../title/title-from-message';
import type { ExchangeRequest, NewConversation, StoredSubject } from './exchange-request';

/** The state at the start of an exchange, read in its transaction. */
export interface Found {
  chat: FoundChat;
  /** The user's message that is edited or answered again; null for a new message. */
  earlier: MessageEntity | null;
  /** Whether that message no longer counts for the quota, because a crash ended its reply before any text. */
  isReturned: boolean;
  /** The message that new turns follow, if it is not the end of the line; null: the end of the line. */
  branch: MessageEntity | null;
  agent: ReplyAgent;
  /** The settings of the replaced reply; null if no reply is replaced or it had no options. */
  origin: ReplySettings | null;
  at: Date;
}

/** The state of the conversation and its owner that an exchange needs. */
export interface FoundChat {
  /** 0: the exchange creates the conversation. */
  id: number;
  agentId: number;
  /** Language tag of the request that created the conversation. */
  language: string | null;
  isUntitled: boolean;
  /** Number of messages on the current line. */
  messageCount: number;
  /** The last message of the current line; null in an empty conversation. */
  lineEndId: number | null;
  /** The reply that started last; null before the first reply. */
  lastReplyId: number | null;
  /** The reply at the end of the line that waits for a person; null: none. */
  waitingReplyId: number | null;
  /** The running reply; null: the conversation is free. */
  activeMessageId: number | null;
  customInstructions: string;
  /** The answerer at the end of the line, see `MessageEntity.answerer`; null: the agent. */
  answerer: string | null;
  /** The collections that its replies search, possibly deleted ones. */
  knowledge: readonly number[];
  /** Whether it has files that its replies search. */
  hasFiles: boolean;
}

/** A turn with its stored parts. */
export interface StoredTurn extends Turn {
  stored: StoredPart[] | null;
}

/** The rows and the task of an exchange. */
export interface ExchangePlan extends Beginning, Pick<ExchangeRequest, 'keep'> {
  chat: FoundChat;
  /** The conversation that the exchange creates; null: it exists. */
  made: NewConversation | null;
  /** Turns to store before the question, oldest first; usually none. */
  before: readonly StoredTurn[];
  question: Question;
  /** The message before which the current line is cut; null: the line only grows. */
  replaced: MessageEntity | null;
  /** The message after which the line is cut; null: not cut. */
  branch: MessageEntity | null;
  /** The answerer to store with the reply, see `MessageEntity.answerer`; null: the agent of the conversation. */
  answerer: string | null;
  /** Whether the texts of the turns count for the user's storage, because a client sent them. */
  countsTexts: boolean;
  /** Bytes stored by `keep` that count for the user's storage. */
  keptBytes: number;
  /** The options to store for a regeneration, without the agent's tools, which may change. */
  options: GenerationOptions | null;
  /** The facts about the conversation that the end of the reply needs. */
  facts: ChatReplyFacts;
}

/** The message to answer. Its reply takes the same position. */
export interface Question {
  /** Null for a message that this exchange stores. */
  id: number | null;
  role: Turn['role'];
  position: number;
  /** The parent of the first message that this exchange stores. */
  parentId: number | null;
  content: string;
  parts: readonly TurnPart[] | null;
  stored: StoredPart[] | null;
  /** All tokens of the message, mostly estimated. */
  tokens: number;
  language: string | null;
}

/** How the message is to be answered. */
interface PlanOptions {
  options: GenerationOptions | null;
  tightening: PolicyOverrides;
  offered: Awaited<ReturnType<ToolOffer['of']>>;
}

/**
 * Plans sending, editing and regenerating. An edit stores a new message at the position of the earlier one. A
 * regeneration keeps the message and remembers the end of the line. A client's turns follow the message that they name.
 *
 * @param turns the client's turns, with their stored parts; empty for other subjects
 * @param wish the options from `optionsFor` (null: those of the agent), the tightening of the agent's policies, and the
 * tools that the agent calls itself (null: none)
 */
export function planExchange(
  request: ExchangeRequest,
  subject: StoredSubject,
  { chat, earlier, isReturned, branch, agent, at }: Found,
  turns: readonly StoredTurn[],
  tokenCounts: TokenCounts,
  { options, tightening, offered }: PlanOptions,
): ExchangePlan {
  const { sender, language, endsWithReaders, chatId, repeatable, keep, keptBytes = 0 } = request;
  const keepsMessage = subject.kind === 'regenerate';
  const latest = turns.at(-1) ?? toQuestion(subject, earlier);
  const before = turns.slice(0, -1);
  const place = placeOf({ chat, earlier, branch }, before, keepsMessage);
  const tokens = tokensOfTurn(latest, tokenCounts);
  const question: Question = { ...latest, ...place, tokens, language: language ?? earlier?.language ?? null };
  const task: GenerationTask = {
    ...sender,
    agent,
    language: question.language ?? chat.language,
    customInstructions: chat.customInstructions,
    tokenCounts,
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
 * The requested options, or those of the replaced reply. An edited message gets a reply even if the original request
 * only created a summary.
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

/** The files of a new message that its reply searches. */
export function newSearchedFiles({ question }: Pick<ExchangePlan, 'question'>): SearchedFile[] {
  return question.parts === null ? [] : (question.stored ?? []).filter((part) => part.type === 'searched_file');
}

/** The plan with the ids of these files. @param files from `newSearchedFiles`, in their order */
export function withFileIds(plan: ExchangePlan, files: readonly SearchedFile[]): ExchangePlan {
  const { facts } = plan;
  const named = <Part extends StoredPart | TurnPart>(parts: readonly Part[] | null): Part[] | null => {
    const left = [...files];
    return parts && parts.map((part) => (part.type === 'searched_file' ? (left.shift() as Part) : part));
  };
  const question = { ...plan.question, parts: named(plan.question.parts), stored: named(plan.question.stored) };
  return {
    ...plan,
    question,
    facts: {
      ...facts,
      question: facts.question && question,
      message: facts.message && { ...facts.message, parts: question.stored },
    },
  };
}

/** The place of the question in its conversation. */
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

/** The facts that the end of the reply needs from the conversation at the start. */
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
    // The bytes of stored files must be read first.
    question: stored !== null && parts === null ? null : question,
    message: isPlain ? newMessage(chat, question) : null,
  };
}

function newMessage({ lineEndId, lastReplyId }: FoundChat, { content, stored: parts, tokens }: Question): NewMessage {
  return { lineEndId, lastReplyId, content, parts, tokens };
}

/** The number of messages before the question. A reply has the position of its question. */
function positionAfter(last: MessageEntity | FoundChat, before: readonly StoredTurn[]): number {
  const first = 'messageCount' in last ? last.messageCount : last.position + (last.role === 'assistant' ? 2 : 1);
  return first + before.length;
}

/** The message of the user: a new one, an edited one with the files of the earlier one, or the earlier one itself. */
function toQuestion(subject: StoredSubject, earlier: MessageEntity | null): StoredTurn {
  const stored = earlier?.parts ?? null;
  if (subject.kind === 'regenerate' || subject.kind === 'turns') {
    return { role: earlier?.role ?? 'user', content: earlier?.content ?? '', parts: null, stored };
  }
  const { content } = subject;
  const others = (stored ?? []).filter(({ type }) => type !== 'text');
  const kept: StoredPart[] = [{ type: 'text', text: content }, ...others];
  return { role: 'user', content, parts: null, stored: others.length > 0 ? kept : null };
}
