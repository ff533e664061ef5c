import { Injectable } from '@nestjs/common';
import {
  estimateMessage,
  estimatePrompt,
  estimateTools,
  partText,
} from '../../../integrations/llm/counting/prompt-estimate';
import { ADDED_TOKENS, promptRoom } from '../../../integrations/llm/counting/prompt-room';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import { trimMessages } from '../../../integrations/llm/counting/trim-messages';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import type { CompactionPart } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import { compactedTurns, hasSealed, type OpenTurn } from './compaction/compacted-turns';
import { CompactionSeal } from './compaction/compaction-seal';
import type { NewMessage } from './conversation-history';
import { joinTurns } from './join-turns';
import type { ReplyWishes } from './reply-wishes';
import { type CountedTexts, NOTHING_COUNTED, type ReplyTask, type RunningReply, type Turn } from './running-reply';
import { mostMessages, ToldConversation } from './told-conversation';

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
    private readonly conversation: ToldConversation,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
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
    return this.toMessages(reply, await this.turns(reply, question, message));
  }

  /** The turns that the prompt is made of. Parameters as those of `build`. */
  async turns(reply: RunningReply, question?: Turn, message: NewMessage | null = null): Promise<readonly Turn[]> {
    const { context } = reply.task;
    if (context !== null) {
      return context;
    }
    const asked = question ?? (await this.conversation.question(reply.userMessageId));
    const room = { limit: this.limitOf(reply.task), taken: promptTokens(reply.task, asked.content) };
    return this.conversation.turns(reply, asked, room, message);
  }

  /** What the model is told of these turns. @throws ContextTooLongError when it is too long and nothing may be left out */
  async toMessages(reply: RunningReply, turns: readonly Turn[]): Promise<ModelMessage[]> {
    const { context, wishes } = reply.task;
    const limit = this.limitOf(reply.task);
    if (wishes?.isWhole) {
      const messages = this.untrimmed(reply, turns);
      await this.requireRoom(messages, limit);
      return messages;
    }
    // A stored conversation was read as far as it fits, unless a summary was to be made of more.
    const isFitting = context === null && wishes?.compaction === undefined && !turns.some(hasSealed);
    const messages = this.untrimmed(reply, isFitting ? turns : this.newest(reply, turns));
    return isFitting ? messages : trimMessages(messages, limit);
  }

  /** Whether the prompt has so many tokens, or is more than the model can be told. */
  isLongerThan(reply: RunningReply, turns: readonly Turn[], tokens: number): boolean {
    const { wishes } = reply.task;
    const limit = Math.min(tokens - estimateTools(wishes?.tools ?? []), this.limitOf(reply.task));
    let sum = 0;
    return (
      this.newest(reply, turns).length < turns.length ||
      this.untrimmed(reply, turns).some((message) => (sum += estimateMessage(message)) >= limit)
    );
  }

  /** The turns as models may be told them: a summary, and what follows it. */
  openTurns({ task, compaction }: RunningReply, turns: readonly Turn[]): readonly OpenTurn[] {
    const all = compaction === null ? turns : [...turns, sealedTurn(compaction)];
    const limit = this.limitOf(task);
    const wish = task.wishes?.compaction;
    // What is told after it shall be shorter than what its program finds too long.
    const kept = Math.floor(Math.min(limit, typeof wish === 'number' ? wish : limit) * SHARE_OF_KEPT);
    return compactedTurns(all, (part) => this.seal.open(task.userId, part), { all: limit, kept });
  }

  /** As many of the newest messages as the agent is told, and the last summary, which may stand before them. */
  private newest({ task }: RunningReply, turns: readonly Turn[]): readonly Turn[] {
    const most = mostMessages(task.agent);
    if (task.context !== null || turns.length <= most) {
      return turns;
    }
    const newest = turns.slice(-most);
    const sealed = newest.some(hasSealed) ? undefined : turns.findLast(hasSealed);
    const part = sealed?.parts?.findLast(({ type }) => type === 'compaction');
    return part?.type === 'compaction' ? [sealedTurn(part), ...newest] : newest;
  }

  private untrimmed(reply: RunningReply, turns: readonly Turn[]): ModelMessage[] {
    const system = { role: 'system', content: systemPrompt(reply.task), parts: null } as const;
    return joinTurns([...(system.content === '' ? [] : [system]), ...this.openTurns(reply, turns)]);
  }

  /** Of a prompt of which nothing may be left out. Estimates decide first, then lengths. @throws ContextTooLongError */
  private async requireRoom(messages: readonly ModelMessage[], limit: number): Promise<void> {
    if (estimatePrompt(messages) > limit) {
      if (lengthOf(messages) > limit * MOST_UNITS_PER_TOKEN) {
        throw ContextTooLongError.of(null, limit);
      }
      const tokens = await this.tokenCounter.countConversation(messages);
      if (tokens > limit) {
        throw ContextTooLongError.of(tokens, limit);
      }
    }
  }

  /** Tokens that all messages together may have, beside the reply and the functions that the model is offered. */
  private limitOf({ agent, wishes }: ContextTask): number {
    const room = promptRoom(this.models.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
    return wishes ? room - estimateTools(wishes.tools) : room;
  }
}

/** What a model is told in the place of all before it. */
function sealedTurn(compaction: CompactionPart): Turn {
  return { role: 'user', content: '', parts: [compaction] };
}

/** Tokens of a text: as counted, else estimated. */
export function tokensOf(text: string, counted: CountedTexts = NOTHING_COUNTED): number {
  return counted.get(text) ?? estimateTokens(text);
}

/** UTF-16 units of all texts. */
function lengthOf(messages: readonly ModelMessage[]): number {
  const texts = messages.flatMap(({ content, parts }) => parts?.map(partText) ?? content);
  return texts.reduce((sum, { length }) => sum + length, 0);
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
