import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import {
  featuresOf,
  isBinary,
  loadTurn,
  loadTurns,
  mostMessages,
  type PromptRoom,
  type Turn,
  type WrittenReply,
} from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory, type HistoryLimits, type NewMessage, type PromptMessage } from './conversation-history';

/** The most messages of which a summary may be made. */
export const MOST_SUMMED_UP = 2_000;

/** By so much estimates are too high at most, for emoji; only rows of one sign are estimated higher. */
const LARGEST_OVERESTIMATE = 4;

/** Reads what a model is told of a stored conversation. */
@Injectable()
export class PromptHistory {
  constructor(
    private readonly database: Database,
    private readonly history: ConversationHistory,
    private readonly blobs: BlobStore,
  ) {}

  /** The message to answer. */
  async question(messageId: number): Promise<Turn> {
    const message = await findRow(
      this.database.manager,
      MessageEntity,
      { id: messageId },
      { members: ['id', 'role', 'content', 'parts'] },
    );
    const { role = 'user', content = '', parts = null } = message ?? {};
    return loadTurn(this.blobs, { role, content, parts });
  }

  /**
   * The newest messages that fit, and the question. Of a conversation that is to be made shorter there are more: a summary
   * stands for what does not fit. What the models refused that were asked stands there in words.
   *
   * @param message null unless it is a new one at the end of its conversation
   * @throws ContextTooLongError when nothing may be left out
   */
  async turns(reply: WrittenReply, question: Turn, room: PromptRoom, message: NewMessage | null): Promise<Turn[]> {
    const history = await this.historyOf(reply, room, message);
    const asked = featuresOf(question.parts ?? []);
    const before = featuresOf(history.flatMap((one) => one.parts ?? []));
    reply.neededBefore = new Set([...before].filter((feature) => !asked.has(feature)));
    const told = await loadTurns(this.blobs, history, reply.inWords, fileBytes(question));
    return [...told, question];
  }

  private async historyOf(
    reply: WrittenReply,
    { limit, taken }: PromptRoom,
    message: NewMessage | null,
  ): Promise<PromptMessage[]> {
    const { agent, options } = reply.task;
    const isSummedUp = options?.compaction !== undefined;
    if (options?.isWhole) {
      return this.all(reply, limit);
    }
    const messages = isSummedUp ? MOST_SUMMED_UP : mostMessages(agent) - 1;
    const tokens = isSummedUp ? 2 * limit : limit - taken;
    if (messages <= 0 || tokens <= 0) {
      return [];
    }
    const most = { messages, tokens: Math.max(limit, tokens) };
    const told = await this.history.before(reply, { messages, tokens }, most, message);
    // A conversation begins with the user, as a summary does; some providers insist on it.
    const first = told.findIndex(({ role, parts }) => role !== 'assistant' || parts?.[0]?.type === 'compaction');
    return first === -1 ? [] : told.slice(first);
  }

  /** What may fit is counted once it is read. @throws ContextTooLongError for what cannot */
  private async all(reply: WrittenReply, limit: number): Promise<PromptMessage[]> {
    const { agent, options } = reply.task;
    const isLimited = agent.contextMaxMessages !== null && options?.compaction === undefined;
    const limits: HistoryLimits = {
      messages: isLimited ? agent.contextMaxMessages - 1 : Infinity,
      tokens: LARGEST_OVERESTIMATE * limit,
    };
    const told = await this.history.all(reply, limits);
    if (told === null) {
      throw ContextTooLongError.of(null, limit);
    }
    return told;
  }
}

function fileBytes({ parts }: Turn): number {
  return (parts ?? []).filter(isBinary).reduce((sum, { data }) => sum + data.length, 0);
}
