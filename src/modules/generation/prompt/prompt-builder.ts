import { Injectable } from '@nestjs/common';
import {
  ADDED_TOKENS,
  estimateMessage,
  estimateParts,
  estimatePrompt,
  estimateTools,
  formatText,
  promptRoom,
  toolText,
} from '../../../integrations/llm/counting/prompt-estimate';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import { trimMessages } from '../../../integrations/llm/counting/trim-messages';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { joinMessages, type ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { type CompactionPart, contentOf, type MessagePart } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import {
  type CountedTexts,
  type GenerationOptions,
  type GenerationTask,
  NOTHING_COUNTED,
} from '../reply/generation-task';
import type { PromptRoom } from '../reply/reply-origin';
import type { RunningReply } from '../reply/running-reply';
import { type StoredPart, type Turn, type TurnPart, wordsOf } from '../reply/stored-parts';
import { generationRequest } from '../running/generation-request';
import { compactedTurns, hasSealed, type OpenTurn } from './compaction/compacted-turns';
import { CompactionSeal } from './compaction/compaction-seal';
import { lengthOf, mostMessages, tokensOf } from './prompt-limits';

/** Of the room for the prompt, what the user said before a summary may take. */
const SHARE_OF_KEPT = 1 / 4;
/** No text has more UTF-16 units for each of its tokens. Only rows of blanks and of one sign come near. */
const MOST_UNITS_PER_TOKEN = 12;

/** The parts of an exchange that the prompt is made of. */
type ContextTask = Pick<GenerationTask, 'agent' | 'language' | 'customInstructions' | 'counted'> &
  Partial<Pick<GenerationTask, 'options'>>;

/**
 * Builds the prompt: the agent's system prompt, then the newest messages that fit its limits and leave room for the reply.
 * Tokens are estimates, made when each message was stored. They are counted only when an estimate would refuse a message.
 */
@Injectable()
export class PromptBuilder {
  constructor(
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
    private readonly seal: CompactionSeal,
  ) {}

  /**
   * Whether system prompt and message alone are short enough for the agent. Estimates decide first; they are rather too high, so
   * that they may let a message pass, but never refuse one. What cannot fit is refused by its length; what could not be counted,
   * by the model alone.
   *
   * @returns the texts that must be counted to decide; none when the prompt is short enough, or they cannot be
   * @throws ContextTooLongError when its length, or the counts in `task.counted`, say that it is too long.
   */
  textsToCount(task: ContextTask, content: string): string[] {
    const { agent, customInstructions, options, counted = NOTHING_COUNTED } = task;
    const tokens = promptTokens(task, content);
    const limit = this.limitOf(task);
    const texts = [agent.systemPrompt, customInstructions, ...instructionsOf(options), content];
    if (tokens <= limit || texts.some((text) => counted.get(text) === null)) {
      return [];
    }
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    if (units > limit * MOST_UNITS_PER_TOKEN || texts.every((text) => counted.has(text))) {
      throw ContextTooLongError.of(tokens, limit);
    }
    return texts;
  }

  /**
   * Before anything is stored of what the agent's models cannot take.
   *
   * @param told the parts of what the model is told, the question's last
   * @throws FeatureNotSupportedError
   */
  requireFeatures(
    task: Pick<GenerationTask, 'agent' | 'language' | 'options'>,
    told: readonly (readonly (TurnPart | StoredPart)[] | null)[],
  ): void {
    const { options } = task;
    // A summary is made of text.
    if (options?.compaction !== 'only' && (options !== null || told.at(-1) !== null)) {
      const messages = told.map((parts) => ({ parts: parts?.filter((part) => part.type !== 'compaction') }));
      this.models.requireFeatures({ ...generationRequest(task, []), messages });
    }
  }

  /** Tokens that all messages together may have. */
  roomOf(task: ContextTask): number {
    return this.limitOf(task);
  }

  /**
   * Tokens that the prompt has at most, with the functions that the model is offered and the schema of its reply.
   *
   * @param told tokens of the messages; of what could not be counted more may be sent than the agent is allowed
   */
  mostTokens(task: ContextTask, told: number): number {
    const tools = estimateTools(task.options?.tools ?? []);
    const isCounted = ![...(task.counted ?? NOTHING_COUNTED).values()].includes(null);
    const most = isCounted ? this.limitOf(task) : Infinity;
    const format = estimateTokens(formatText(task.options?.responseFormat));
    return Math.min(most, promptTokens(task, '') + told) + tools + format;
  }

  /** The texts that every prompt of this exchange has, whatever is told of the conversation. */
  fixedTexts({ agent, customInstructions, options }: ContextTask): string[] {
    const tools = (options?.tools ?? []).map(toolText);
    return [
      ...[agent.systemPrompt, customInstructions, ...instructionsOf(options)],
      ...[...tools, formatText(options?.responseFormat)],
    ];
  }

  /** Counts texts, long ones by samples. It may take a tenth of a second: never call it in a transaction. */
  async count(texts: string[]): Promise<CountedTexts> {
    const counts = await this.tokenCounter.sampleAll(texts);
    return new Map(texts.map((text, index) => [text, counts?.[index] ?? null]));
  }

  async build(reply: RunningReply): Promise<ModelMessage[]> {
    return this.toMessages(reply, await this.turns(reply));
  }

  /** The turns that the prompt is made of. */
  turns(reply: RunningReply): Promise<readonly Turn[]> {
    const { task, origin } = reply;
    const own = reply.ownTurn;
    const taken = estimateParts(own?.parts ?? []);
    const room = (question: string): PromptRoom => ({
      limit: this.limitOf(task),
      taken: promptTokens(task, question) + taken,
    });
    const turns = origin.turns(reply, room);
    return own === null ? turns : turns.then((told) => [...told, own]);
  }

  /** What the model is told of these turns. @throws ContextTooLongError when it is too long and nothing may be left out */
  async toMessages(reply: RunningReply, turns: readonly Turn[]): Promise<ModelMessage[]> {
    const { options } = reply.task;
    const limit = this.limitOf(reply.task);
    if (options?.isWhole) {
      const messages = this.untrimmed(reply, turns);
      await this.requireRoom(messages, limit);
      return messages;
    }
    // A stored conversation was read as far as it fits, unless a summary was to be made of more.
    const isFitting = reply.origin.choosesTurns && options?.compaction === undefined && !turns.some(hasSealed);
    const messages = this.untrimmed(reply, isFitting ? turns : this.newest(reply, turns));
    return isFitting ? messages : trimMessages(messages, limit);
  }

  /** Whether the prompt has so many tokens, or is more than the model can be told. */
  isLongerThan(reply: RunningReply, turns: readonly Turn[], tokens: number): boolean {
    const { options } = reply.task;
    const limit = Math.min(tokens - estimateTools(options?.tools ?? []), this.limitOf(reply.task));
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
    const wish = task.options?.compaction;
    // What is told after it shall be shorter than what its program finds too long.
    const kept = Math.floor(Math.min(limit, typeof wish === 'number' ? wish : limit) * SHARE_OF_KEPT);
    return compactedTurns(all, (part) => this.seal.open(task.userId, part), { all: limit, kept });
  }

  /** As many of the newest messages as the agent is told, and the last summary, which may stand before them. */
  private newest({ task, origin }: RunningReply, turns: readonly Turn[]): readonly Turn[] {
    const most = mostMessages(task.agent);
    if (!origin.choosesTurns || turns.length <= most) {
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
      const tokens = await this.tokenCounter.countedConversation(messages);
      if (tokens !== null && tokens > limit) {
        throw ContextTooLongError.of(tokens, limit);
      }
    }
  }

  /** Tokens that all messages together may have, beside the reply and the functions that the model is offered. */
  private limitOf({ agent, options }: ContextTask): number {
    const room = promptRoom(this.models.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
    return options ? room - estimateTools(options.tools) : room;
  }
}

/** What a model is told in the place of all before it. */
function sealedTurn(compaction: CompactionPart): Turn {
  return { role: 'user', content: '', parts: [compaction] };
}

/** Agents come from memory, so each system prompt is estimated once. */
const agentPromptTokens = new WeakMap<Agent, number>();

/** Tokens of everything but the history. */
function promptTokens(task: ContextTask, content: string): number {
  const { agent, customInstructions, options, counted = NOTHING_COUNTED } = task;
  let tokens = counted.get(agent.systemPrompt) ?? agentPromptTokens.get(agent);
  if (tokens === undefined) {
    tokens = estimateTokens(agent.systemPrompt);
    agentPromptTokens.set(agent, tokens);
  }
  const texts = [customInstructions, ...instructionsOf(options), content];
  return texts.reduce((sum, text) => sum + tokensOf(text, counted), tokens + ADDED_TOKENS);
}

/** What a program tells the model for one reply. */
function instructionsOf(options: GenerationOptions | null | undefined): string[] {
  return options?.instructions ? [options.instructions] : [];
}

function systemPrompt({ agent, language, customInstructions, options }: ContextTask): string {
  const parts = [agent.systemPrompt.trim()];
  if (customInstructions.trim() !== '') {
    parts.push(`What the user wants you to know and respect:\n${customInstructions.trim()}`);
  }
  if (language !== null) {
    parts.push(`Answer in ${languageName(language)} unless the user asks for another language.`);
  }
  parts.push(...instructionsOf(options).map((text) => text.trim()));
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

/**
 * The turns as models accept them. Neighbours of the same role become one turn, which a reply without text leaves behind:
 * some models refuse two turns of one role in a row, and the blank line between their texts costs fewer tokens than a turn.
 * Calls of functions without a result, and results without their call, are left out: all providers refuse them.
 */
export function joinTurns(turns: readonly OpenTurn[]): ModelMessage[] {
  const separate = turns.flatMap(separated);
  const answered = answeredCalls(separate);
  const joined: ModelMessage[] = [];
  for (const turn of separate) {
    const { role, parts } = turn;
    const told = parts && parts.filter((part) => isTold(part, answered));
    const message: ModelMessage = {
      role,
      content: wordsOf(turn),
      ...(told && { parts: told }),
      ...(turn.isSummary && { hasSummary: true }),
    };
    const last = joined.at(-1);
    if (last?.role === role) {
      joined[joined.length - 1] = joinMessages(last, message);
    } else if (told === null || told.length > 0) {
      joined.push(message);
    }
  }
  return joined;
}

/** A reply that has results of its own calls, as the turns of which it was made: what the model said, and what it was told. */
function separated(turn: OpenTurn): OpenTurn[] {
  const { role, parts } = turn;
  if (role !== 'assistant' || !parts?.some(({ type }) => type === 'tool_result')) {
    return [turn];
  }
  const turns: (OpenTurn & { parts: MessagePart[] })[] = [];
  for (const part of parts) {
    const speaker = part.type === 'tool_result' ? 'user' : 'assistant';
    const last = turns.at(-1);
    if (last?.role === speaker) {
      last.parts.push(part);
    } else {
      turns.push({ role: speaker, content: '', parts: [part] });
    }
  }
  return turns.map((one) => ({ ...one, content: contentOf(one.parts) }));
}

/** The ids of calls whose result comes later, before the model speaks again. */
function answeredCalls(turns: readonly OpenTurn[]): ReadonlySet<string> {
  const answered = new Set<string>();
  let open = new Set<string>();
  let speaker: OpenTurn['role'] | null = null;
  for (const { role, parts } of turns) {
    if (role === 'assistant' && speaker !== 'assistant') {
      open = new Set();
    }
    speaker = role;
    for (const part of parts ?? []) {
      if (part.type === 'tool_call') {
        open.add(part.id);
      } else if (part.type === 'tool_result' && open.has(part.id)) {
        answered.add(part.id);
      }
    }
  }
  return answered;
}

/** Files that a call returned go with its result. */
function isTold(part: MessagePart, answered: ReadonlySet<string>): boolean {
  switch (part.type) {
    case 'tool_call':
    case 'tool_result':
      return answered.has(part.id);
    case 'image':
    case 'file':
      return part.call_id === undefined || answered.has(part.call_id);
    default:
      return true;
  }
}
