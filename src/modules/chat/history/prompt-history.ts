import { Injectable } from '@nestjs/common';
import { GuardPresence } from '../../../common/guard-presence';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { runStatement } from '../../../database/statements/run-statement';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import {
  isBinary,
  loadTurn,
  loadTurns,
  mostMessages,
  type PromptRoom,
  ReplyKnowledge,
  requiredFeatures,
  type Turn,
  type WrittenReply,
} from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory, type HistoryLimits, type NewMessage, type PromptMessage } from './conversation-history';
import { ADDED_REPLIES } from './history-statements';

type PromptParts = Turn['parts'] | PromptMessage['parts'];

/** The most messages that one summary may cover. */
export const MOST_SUMMED_UP = 2_000;

/**
 * The largest factor by which an estimate is too high, reached for emoji. Only runs of one character are estimated
 * higher.
 */
const LARGEST_OVERESTIMATE = 4;

/** Reads the part of a stored conversation that goes into a prompt. */
@Injectable()
export class PromptHistory {
  constructor(
    private readonly database: Database,
    private readonly history: ConversationHistory,
    private readonly blobs: BlobStore,
    private readonly knowledge: ReplyKnowledge,
    private readonly guards: GuardPresence,
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
   * The newest messages that fit, and the question. If the conversation is to be compacted, the result has more
   * messages, because a summary replaces those that do not fit. Text replaces the content that the models of the reply
   * do not accept.
   *
   * @param message null unless it is a new message at the end of its conversation
   * @throws ContextTooLongError if a message does not fit and none may be left out
   */
  async turns(reply: WrittenReply, question: Turn, room: PromptRoom, message: NewMessage | null): Promise<Turn[]> {
    const stored = await this.historyOf(reply, room, message);
    // Earlier passages are data of the conversation: only those of this reply can be cited.
    const filled = await this.knowledge.fill(
      reply.task.userId,
      stored.map(({ parts }) => parts),
      false,
    );
    const [own = null, ...described] = await this.knowledge.describeFiles<PromptParts>(reply, [
      question.parts,
      ...filled,
    ]);
    const history = stored.map((one, index) =>
      described[index] === one.parts ? one : { ...one, parts: (described[index] ?? null) as PromptMessage['parts'] },
    );
    const asked = requiredFeatures(question.parts ?? []);
    const before = requiredFeatures(history.flatMap((one) => one.parts ?? []));
    reply.neededBefore = new Set([...before].filter((feature) => !asked.has(feature)));
    const loaded = await loadTurns(this.blobs, history, reply.inWords, fileBytes(question));
    const isChecked = this.guards.isAny && loaded.some(({ role }) => role === 'assistant');
    const sent = isChecked ? await this.withAddedMarked(reply, loaded) : loaded;
    return [...sent, own === question.parts ? question : { ...question, parts: own as Turn['parts'] }];
  }

  /** Guards check what a client has added as the assistant's words, unlike what models have written. */
  private async withAddedMarked({ chatId, userMessageId }: WrittenReply, turns: readonly Turn[]): Promise<Turn[]> {
    const place = [chatId, userMessageId, turns.length];
    const { rows } = await runStatement(this.database.manager, ADDED_REPLIES, place);
    const added = new Set(rows.map(([content]) => content));
    return turns.map((turn) =>
      turn.role === 'assistant' && added.has(turn.content) ? { ...turn, isAdded: true } : turn,
    );
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
    const sent = await this.history.before(reply, { messages, tokens }, most, message);
    // A prompt starts with a user message or a summary, because some providers require it.
    const first = sent.findIndex(({ role, parts }) => role !== 'assistant' || parts?.[0]?.type === 'compaction');
    return first === -1 ? [] : sent.slice(first);
  }

  /**
   * Reads an upper bound; the caller counts the tokens.
   *
   * @throws ContextTooLongError if the history certainly does not fit
   */
  private async all(reply: WrittenReply, limit: number): Promise<PromptMessage[]> {
    const { agent, options } = reply.task;
    const isLimited = agent.contextMaxMessages !== null && options?.compaction === undefined;
    const limits: HistoryLimits = {
      messages: isLimited ? agent.contextMaxMessages - 1 : Infinity,
      tokens: LARGEST_OVERESTIMATE * limit,
    };
    const sent = await this.history.all(reply, limits);
    if (sent === null) {
      throw ContextTooLongError.of(null, limit);
    }
    return sent;
  }
}

function fileBytes({ parts }: Turn): number {
  return (parts ?? []).filter(isBinary).reduce((sum, { data }) => sum + data.length, 0);
}
