import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { ModelMessage } from '../../../integrations/llm/language-model-provider';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../integrations/llm/llm.errors';
import { estimateMessage, estimatePrompt, estimateTools } from '../../../integrations/llm/prompt-estimate';
import { ADDED_TOKENS, promptRoom } from '../../../integrations/llm/prompt-room';
import { TokenCounter } from '../../../integrations/llm/token-counter';
import { estimateTokens } from '../../../integrations/llm/token-estimate';
import { trimMessages } from '../../../integrations/llm/trim-messages';
import type { Agent } from '../../agent/agent.api';
import { MessageEntity } from '../conversations/message.entity';
import { featuresOf, inWords, isBinary, loadAll, loadParts } from '../conversations/stored-parts';
import { compactedTurns, type OpenTurn } from './compaction/compacted-turns';
import { CompactionSeal } from './compaction/compaction-seal';
import { ConversationHistory, type NewMessage, type ToldMessage } from './conversation-history';
import { joinTurns } from './join-turns';
import type { ReplyWishes } from './reply-wishes';
import { type CountedTexts, NOTHING_COUNTED, type ReplyTask, type RunningReply, type Turn } from './running-reply';

/** The most messages for agents that set no limit. */
const DEFAULT_CONTEXT_MESSAGES = 200;

/** Of the room for the prompt, what the user said before a summary may take. */
const SHARE_OF_KEPT = 1 / 4;
/** No text has more UTF-16 units for each of its tokens. Only rows of blanks and of one sign come near. */
const MOST_UNITS_PER_TOKEN = 12;

/** The parts of an exchange that the prompt is made of. */
type ContextTask = Pick<ReplyTask, 'agent' | 'language' | 'customInstructions' | 'counted'> &
  Partial<Pick<ReplyTask, 'wishes'>>;

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
    private readonly blobs: BlobStore,
    private readonly seal: CompactionSeal,
  ) {}

  /**
   * Whether system prompt and message alone are short enough for the agent. Estimates decide first; they are rather too
   * high, so that they may let a message pass, but never refuse one. What cannot fit is refused by its length, uncounted.
   *
   * @returns the texts that must be counted to decide; none when the prompt is short enough
   * @throws ContextTooLongError when its length, or the counts in `task.counted`, say that it is too long.
   */
  textsToCount(task: ContextTask, content: string): string[] {
    const { agent, customInstructions, wishes, counted = NOTHING_COUNTED } = task;
    const tokens = promptTokens(task, content);
    const limit = this.limitOf(task);
    if (tokens <= limit) {
      return [];
    }
    const texts = [agent.systemPrompt, customInstructions, ...instructionsOf(wishes), content];
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    if (units > limit * MOST_UNITS_PER_TOKEN || texts.every((text) => counted.has(text))) {
      throw ContextTooLongError.of(tokens, limit);
    }
    return texts;
  }

  /** Counts texts, long ones by samples. It may take a tenth of a second: never call it in a transaction. */
  async count(texts: string[]): Promise<CountedTexts> {
    const counts = await this.tokenCounter.sampleAll(texts);
    return new Map(texts.map((text, index) => [text, counts[index] ?? 0]));
  }

  /**
   * @param question the message to answer; read from the database when not given
   * @param message null unless it is a new one at the end of its conversation
   */
  async build(reply: RunningReply, question?: Turn, message: NewMessage | null = null): Promise<ModelMessage[]> {
    const turns = await this.turns(reply, question, message);
    const messages = this.toMessages(reply, turns);
    if (reply.task.wishes?.isWhole) {
      await this.requireRoom(reply.task, messages);
    }
    return messages;
  }

  /** Of a prompt of which nothing may be left out. Estimates decide first. @throws ContextTooLongError */
  private async requireRoom(task: ContextTask, messages: readonly ModelMessage[]): Promise<void> {
    const limit = this.limitOf(task);
    if (estimatePrompt(messages) > limit) {
      const tokens = await this.tokenCounter.countConversation(messages);
      if (tokens > limit) {
        throw ContextTooLongError.of(tokens, limit);
      }
    }
  }

  /** The turns that the prompt is made of. Parameters as those of `build`. */
  async turns(reply: RunningReply, question?: Turn, message: NewMessage | null = null): Promise<readonly Turn[]> {
    return reply.task.context ?? (await this.conversation(reply, question, message));
  }

  toMessages(reply: RunningReply, turns: readonly Turn[]): ModelMessage[] {
    const { task } = reply;
    const messages = this.untrimmed(reply, turns);
    return task.context && !task.wishes?.isWhole ? trimMessages(messages, this.limitOf(task)) : messages;
  }

  /** Whether the prompt has so many tokens, or more than the model can be told. */
  isLongerThan(reply: RunningReply, turns: readonly Turn[], tokens: number): boolean {
    const limit = Math.min(tokens, this.limitOf(reply.task));
    let sum = 0;
    return this.untrimmed(reply, turns).some((message) => (sum += estimateMessage(message)) >= limit);
  }

  /** The turns as models may be told them: a summary, and what follows it. */
  openTurns({ task, compaction }: RunningReply, turns: readonly Turn[]): readonly OpenTurn[] {
    const all = compaction === null ? turns : [...turns, { role: 'user' as const, content: '', parts: [compaction] }];
    const room = Math.floor(this.limitOf(task) * SHARE_OF_KEPT);
    return compactedTurns(all, (part) => this.seal.open(task.userId, part), room);
  }

  private untrimmed(reply: RunningReply, turns: readonly Turn[]): ModelMessage[] {
    const system = { role: 'system', content: systemPrompt(reply.task), parts: null } as const;
    return joinTurns([...(system.content === '' ? [] : [system]), ...this.openTurns(reply, turns)]);
  }

  /** The newest messages of a stored conversation that fit, and the one to answer. */
  private async conversation(
    reply: RunningReply,
    given: Turn | undefined,
    message: NewMessage | null,
  ): Promise<readonly Turn[]> {
    const question = given ?? (await this.readQuestion(reply.userMessageId));
    const history = await this.historyFor(reply, promptTokens(reply.task, question.content), message);
    const asked = featuresOf(question.parts ?? []);
    const before = featuresOf(history.flatMap((message) => message.parts ?? []));
    reply.neededBefore = new Set([...before].filter((feature) => !asked.has(feature)));
    const parts = await loadAll(
      this.blobs,
      history.map((message) => message.parts && inWords(message.parts, reply.inWords)),
      fileBytes(question),
    );
    return [...history.map(({ role, content }, index) => ({ role, content, parts: parts[index] ?? null })), question];
  }

  /** Tokens that all messages together may have, beside the reply and the functions that the model is offered. */
  private limitOf({ agent, wishes }: ContextTask): number {
    const room = promptRoom(this.models.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
    return wishes ? room - estimateTools(wishes.tools) : room;
  }

  /** @param taken tokens of the system prompt and the message */
  private async historyFor(reply: RunningReply, taken: number, message: NewMessage | null): Promise<ToldMessage[]> {
    const { agent, wishes } = reply.task;
    if (wishes?.isWhole) {
      return this.wholeHistory(reply);
    }
    const messages = (agent.contextMaxMessages ?? DEFAULT_CONTEXT_MESSAGES) - 1;
    const limit = this.limitOf(reply.task);
    const tokens = limit - taken;
    if (messages <= 0 || tokens <= 0) {
      return [];
    }
    const told = await this.history.before(reply, { messages, tokens }, { messages, tokens: limit }, message);
    // A conversation begins with the user; some providers insist on it.
    const first = told.findIndex(({ role }) => role !== 'assistant');
    return first === -1 ? [] : told.slice(first);
  }

  /** Estimates are too high, but not by half. @throws ContextTooLongError */
  private async wholeHistory(reply: RunningReply): Promise<ToldMessage[]> {
    const { contextMaxMessages } = reply.task.agent;
    const limit = this.limitOf(reply.task);
    const messages = contextMaxMessages === null ? Infinity : contextMaxMessages - 1;
    const told = await this.history.all(reply, { messages, tokens: 2 * limit });
    if (told === null) {
      throw ContextTooLongError.of(null, limit);
    }
    return told;
  }

  private async readQuestion(messageId: number): Promise<Turn> {
    const message = await this.database.repository(MessageEntity).findOne({
      select: { id: true, role: true, content: true, parts: true },
      where: { id: messageId },
    });
    const { role = 'user', content = '', parts = null } = message ?? {};
    return { role, content, parts: parts && (await loadParts(this.blobs, parts)) };
  }
}

/** Tokens of a text: as counted, else estimated. */
export function tokensOf(text: string, counted: CountedTexts = NOTHING_COUNTED): number {
  return counted.get(text) ?? estimateTokens(text);
}

/** Agents come from memory, so each system prompt is estimated once. */
const agentPromptTokens = new WeakMap<Agent, number>();

/** Tokens of everything but the history. */
function promptTokens(task: ContextTask, content: string): number {
  const { agent, customInstructions, wishes, counted = NOTHING_COUNTED } = task;
  let tokens = counted.get(agent.systemPrompt) ?? agentPromptTokens.get(agent);
  if (tokens === undefined) {
    tokens = estimateTokens(agent.systemPrompt);
    agentPromptTokens.set(agent, tokens);
  }
  const texts = [customInstructions, ...instructionsOf(wishes), content];
  return texts.reduce((sum, text) => sum + tokensOf(text, counted), tokens + ADDED_TOKENS);
}

function fileBytes({ parts }: Turn): number {
  return (parts ?? []).filter(isBinary).reduce((sum, { data }) => sum + data.length, 0);
}

/** What a program tells the model for one reply. */
function instructionsOf(wishes: ReplyWishes | null | undefined): string[] {
  return wishes?.instructions ? [wishes.instructions] : [];
}

function systemPrompt({ agent, language, customInstructions, wishes }: ContextTask): string {
  const parts = [agent.systemPrompt.trim()];
  if (customInstructions.trim() !== '') {
    parts.push(`What the user wants you to know and respect:\n${customInstructions.trim()}`);
  }
  if (language !== null) {
    parts.push(`Answer in ${languageName(language)} unless the user asks for another language.`);
  }
  parts.push(...instructionsOf(wishes).map((text) => text.trim()));
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
