import type { Agent } from '../../agent/agent.api';
import type { MessageEntity } from '../conversations/message.entity';
import type { NewMessage } from '../reply/conversation-history';
import { tokensOf } from '../reply/prompt-builder';
import type { CountedTexts, ReplyTask } from '../reply/running-reply';
import { titleFromMessage } from '../reply/title/title-from-message';
import type { ExchangeRequest, StoredSubject } from './exchange-request';

/** What an exchange finds when it begins, read in its transaction. */
export interface Found {
  chat: FoundChat;
  /** The user's message that gets another wording or another reply; null for a new message. */
  earlier: MessageEntity | null;
  agent: Agent;
  at: Date;
}

/** What an exchange needs to know of the chat and of its owner. */
export interface FoundChat {
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
  /** The reply that is being written; null: the chat is free. */
  activeMessageId: number | null;
  customInstructions: string;
}

/** What an exchange will store and do. */
export interface ExchangePlan {
  chat: FoundChat;
  question: Question;
  /** The message where the current line is cut off to make room; null: the line only grows. */
  replaced: MessageEntity | null;
  /** What the reply knows of its exchange until it has ended. */
  task: ReplyTask;
}

/** The user's message. Its reply takes the same position. */
export interface Question {
  /** Null for a message that is stored by this exchange. */
  id: number | null;
  position: number;
  parentId: number | null;
  content: string;
  /** Tokens of the content, mostly estimated. */
  tokens: number;
  language: string | null;
}

/**
 * Says what sending, editing and regenerating do, and where they differ: an edit stores a new message at the place of the
 * earlier one, a regeneration keeps that message and remembers where the line ended.
 */
export function planExchange(
  { sender, language, endsWithReaders }: ExchangeRequest,
  subject: StoredSubject,
  { chat, earlier, agent, at }: Found,
  counted: CountedTexts,
): ExchangePlan {
  const keepsMessage = subject.kind === 'regenerate';
  const content = keepsMessage ? (earlier?.content ?? '') : subject.content;
  const question: Question = {
    id: keepsMessage ? (earlier?.id ?? null) : null,
    position: earlier?.position ?? chat.messageCount,
    parentId: earlier === null ? chat.lineEndId : earlier.parentId,
    content,
    tokens: tokensOf(content, counted),
    language: language ?? earlier?.language ?? null,
  };
  const task: ReplyTask = {
    ...sender,
    agent,
    language: question.language ?? chat.language,
    customInstructions: chat.customInstructions,
    counted,
    title: chat.isUntitled ? titleFromMessage(content) : null,
    isUntitled: chat.isUntitled,
    messages: keepsMessage ? 1 : 2,
    formerLineEndId: keepsMessage ? chat.lineEndId : null,
    endsWithReaders,
    startedAt: at,
  };
  return { chat, question, replaced: earlier, task };
}

/** The question, when it is a new message at the end of the conversation; null when it stands elsewhere. */
export function newMessageOf({ chat, question, replaced }: ExchangePlan): NewMessage | null {
  const { lineEndId, lastReplyId } = chat;
  return replaced === null ? { lineEndId, lastReplyId, content: question.content, tokens: question.tokens } : null;
}
