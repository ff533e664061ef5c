import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import type { ModelMessage } from '../../../integrations/llm/language-model-provider';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../integrations/llm/llm.errors';
import { ADDED_TOKENS, promptRoom } from '../../../integrations/llm/prompt-room';
import { TokenCounter } from '../../../integrations/llm/token-counter';
import { estimateTokens } from '../../../integrations/llm/token-estimate';
import type { Agent } from '../../agent/agent.api';
import { type CountedTexts, NOTHING_COUNTED, type ReplyTask, type RunningReply } from './running-reply';

/** The most messages for agents that set no limit. */
const DEFAULT_CONTEXT_MESSAGES = 200;

/** Tokens that the chat format adds to each message. */
const MESSAGE_OVERHEAD_TOKENS = 4;

/**
 * How a message was answered: 2 means with text on this line, 1 means only by failures, one of them not retryable. It is an
 * aggregate, because MariaDB would read the whole table for an EXISTS.
 */
const ANSWERED = `
  SELECT MAX(CASE
    WHEN reply.is_current = told.is_current AND reply.token_count > 0 THEN 2
    WHEN reply.status = 'failed' AND reply.failure LIKE '%"retryable":false%' THEN 1
    ELSE 0
  END)
  FROM chat_messages reply
  WHERE reply.chat_id = told.chat_id AND reply.position = told.position AND reply.parent_id = told.id`;

/**
 * Sums the tokens from the newest message backwards, and leaves out all messages beyond the limit. It also leaves out a
 * message that got only failures, one of them not retryable: a provider that refuses this message would refuse every later
 * prompt that contains it.
 */
const HISTORY = `
  SELECT message.role AS role, message.content AS content
  FROM (
    SELECT id, SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}) OVER (ORDER BY position DESC, id DESC) AS tokens
    FROM (
      SELECT id, position, token_count FROM chat_messages told
      WHERE chat_id = ? AND position < (SELECT position FROM chat_messages WHERE id = ?) AND is_current = ?
        AND token_count > 0 AND status <> 'streaming'
        AND (role <> 'user' OR COALESCE((${ANSWERED}), 0) <> 1)
      ORDER BY position DESC, id DESC LIMIT ?
    ) newest
  ) sized
  INNER JOIN chat_messages message ON message.id = sized.id
  WHERE sized.tokens <= ?
  ORDER BY message.position, message.id`;

/** The parts of an exchange that the prompt is made of. */
type ContextTask = Pick<ReplyTask, 'agent' | 'language' | 'customInstructions' | 'counted'>;

/**
 * Builds the prompt: the agent's system prompt, then the newest messages that fit its limits and leave room for the reply.
 * Tokens are estimates, made when each message was stored. They are counted only when an estimate would refuse a message.
 */
@Injectable()
export class PromptBuilder {
  constructor(
    private readonly database: Database,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  /**
   * Whether system prompt and message alone are short enough for the agent. Estimates decide first; they are rather too
   * high, so that they may let a message pass, but never refuse one.
   *
   * @returns the texts that must be counted to decide; none when the prompt is short enough
   * @throws ContextTooLongError when the counts in `task.counted` say that it is too long.
   */
  textsToCount(task: ContextTask, content: string): string[] {
    const { agent, customInstructions, counted = NOTHING_COUNTED } = task;
    const tokens = promptTokens(task, content);
    const limit = this.limitOf(agent);
    if (tokens <= limit) {
      return [];
    }
    const texts = [agent.systemPrompt, customInstructions, content];
    if (texts.every((text) => counted.has(text))) {
      throw ContextTooLongError.of(tokens, limit);
    }
    return texts;
  }

  /** Counts texts exactly. It takes long for long texts: never call it in a transaction. */
  async count(texts: string[]): Promise<CountedTexts> {
    const counts = await this.tokenCounter.countAll(texts);
    return new Map(texts.map((text, index) => [text, counts[index] ?? 0]));
  }

  /** @param content the message to answer; read from the database when not given */
  async build(reply: RunningReply, content?: string, hasHistory = true): Promise<ModelMessage[]> {
    const { task } = reply;
    const system = systemPrompt(task);
    const message = content ?? (await this.readContent(reply.userMessageId));
    const room = this.limitOf(task.agent) - promptTokens(task, message);
    const history = hasHistory ? await this.readHistory(reply, room) : [];
    return [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...inTurns([...history, { role: 'user', content: message }]),
    ];
  }

  private limitOf(agent: Agent): number {
    return promptRoom(this.models.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
  }

  private async readHistory(reply: RunningReply, tokens: number): Promise<ModelMessage[]> {
    const limit = (reply.task.agent.contextMaxMessages ?? DEFAULT_CONTEXT_MESSAGES) - 1;
    if (limit <= 0 || tokens <= 0) {
      return [];
    }
    const parameters = [reply.chatId, reply.userMessageId, true, limit, tokens];
    const messages: ModelMessage[] = await this.database.manager.query(HISTORY, parameters);
    // A conversation begins with the user; some providers insist on it.
    const first = messages.findIndex(({ role }) => role === 'user');
    return first === -1 ? [] : messages.slice(first);
  }

  private async readContent(messageId: number): Promise<string> {
    const rows: { content: string }[] = await this.database.manager.query(
      'SELECT content FROM chat_messages WHERE id = ?',
      [messageId],
    );
    return rows[0]?.content ?? '';
  }
}

/** Tokens of a text: as counted, else estimated. */
export function tokensOf(text: string, counted: CountedTexts = NOTHING_COUNTED): number {
  return counted.get(text) ?? estimateTokens(text);
}

/** Agents come from memory, so each system prompt is estimated once. */
const agentPromptTokens = new WeakMap<Agent, number>();

/** Tokens of everything but the history. */
function promptTokens({ agent, customInstructions, counted = NOTHING_COUNTED }: ContextTask, content: string): number {
  let tokens = counted.get(agent.systemPrompt) ?? agentPromptTokens.get(agent);
  if (tokens === undefined) {
    tokens = estimateTokens(agent.systemPrompt);
    agentPromptTokens.set(agent, tokens);
  }
  return tokens + tokensOf(customInstructions, counted) + ADDED_TOKENS + tokensOf(content, counted);
}

/**
 * Joins neighbours of the same role, which a reply without text leaves behind: some models refuse two turns of one role in a
 * row. The blank line costs fewer tokens than the turn that it saves.
 */
function inTurns(messages: ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) {
      last.content += `\n\n${content}`;
    } else {
      turns.push({ role, content });
    }
  }
  return turns;
}

function systemPrompt({ agent, language, customInstructions }: ContextTask): string {
  const parts = [agent.systemPrompt.trim()];
  if (customInstructions.trim() !== '') {
    parts.push(`What the user wants you to know and respect:\n${customInstructions.trim()}`);
  }
  if (language !== null) {
    parts.push(`Answer in ${languageName(language)} unless the user asks for another language.`);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** The English name of a language, such as `Brazilian Portuguese` for `pt-BR`; the tag itself if it has none. */
function languageName(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
