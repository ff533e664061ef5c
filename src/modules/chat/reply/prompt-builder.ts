import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import type { ModelMessage } from '../../../integrations/llm/language-model-provider';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../integrations/llm/llm.errors';
import { ADDED_TOKENS, promptRoom } from '../../../integrations/llm/prompt-room';
import { TokenCounter } from '../../../integrations/llm/token-counter';
import { estimateTokens } from '../../../integrations/llm/token-estimate';
import type { Agent } from '../../agent/agent.api';
import { ConversationHistory, type NewMessage } from './conversation-history';
import { type CountedTexts, NOTHING_COUNTED, type ReplyTask, type RunningReply } from './running-reply';

/** The most messages for agents that set no limit. */
const DEFAULT_CONTEXT_MESSAGES = 200;

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
    private readonly history: ConversationHistory,
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

  /**
   * @param content the message to answer; read from the database when not given
   * @param message null unless it is a new one at the end of its conversation
   */
  async build(reply: RunningReply, content?: string, message: NewMessage | null = null): Promise<ModelMessage[]> {
    const { task } = reply;
    const system = systemPrompt(task);
    const question = content ?? (await this.readContent(reply.userMessageId));
    const history = await this.historyFor(reply, promptTokens(task, question), message);
    return [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...inTurns([...history, { role: 'user', content: question }]),
    ];
  }

  private limitOf(agent: Agent): number {
    return promptRoom(this.models.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
  }

  /** @param taken tokens of the system prompt and the message */
  private async historyFor(reply: RunningReply, taken: number, message: NewMessage | null): Promise<ModelMessage[]> {
    const { agent } = reply.task;
    const messages = (agent.contextMaxMessages ?? DEFAULT_CONTEXT_MESSAGES) - 1;
    const limit = this.limitOf(agent);
    const tokens = limit - taken;
    if (messages <= 0 || tokens <= 0) {
      return [];
    }
    const told = await this.history.before(reply, { messages, tokens }, { messages, tokens: limit }, message);
    // A conversation begins with the user; some providers insist on it.
    const first = told.findIndex(({ role }) => role === 'user');
    return first === -1 ? [] : told.slice(first);
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
