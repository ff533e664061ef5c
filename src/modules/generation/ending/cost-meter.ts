import { Injectable } from '@nestjs/common';
import { addParts, addUsage, NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../integrations/llm/language-models';
import {
  type AskedModel,
  newlyAsked,
  type ProviderUsage,
  toReplyUsage,
} from '../../../integrations/llm/port/asked-model';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { type SpentRequest, toPricedUsage } from '../../usage/usage.api';
import { GenerationConfig } from '../generation.config';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { AskedRequest } from '../reply/generation-task';
import type { GenerationOutcome } from '../reply/reply-end';
import type { RunningReply } from '../reply/running-reply';

type Counted = Omit<ReplyTokenUsage, 'isEstimated' | 'model'>;

/** What a reply used. */
export interface MeteredUsage {
  usage: ReplyTokenUsage;
  /** Whether its user is not charged for it: see `isFreeOfCharge`. */
  isFree: boolean;
}

/** Finds out how many tokens a reply used: the provider says it, or they are counted here. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly prompt: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  /** What the reply itself used, without what shortening its conversation cost. */
  async ofReply(reply: RunningReply, outcome: GenerationOutcome): Promise<MeteredUsage> {
    const isFree = isFreeOfCharge(reply, outcome);
    const model = outcome.model ?? (isFree ? null : this.askedModel(reply));
    if (outcome.usage !== null) {
      return { usage: { ...toReplyUsage(outcome.usage), isEstimated: false, model }, isFree: false };
    }
    if (isFree) {
      // After earlier rounds nothing is added to what they used, and so nothing that was counted here.
      const isEstimated = reply.earlier === null;
      return { usage: { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated, model }, isFree };
    }
    const counted = await this.count(reply, toldOf(reply));
    return { usage: { ...counted, isEstimated: true, model }, isFree };
  }

  /** What is known of a request whose instance died: its prompt, and what is stored of its answer. */
  ofCut(reply: RunningReply): Promise<Counted> {
    return this.count(reply, null);
  }

  /** Tokens of the prompt, counted here. */
  async promptOf(reply: RunningReply): Promise<number> {
    return reply.origin.promptTokens ?? this.countPrompt(reply);
  }

  /** The model that was asked, when it did not say its name. */
  private askedModel({ requests, task: { agent } }: RunningReply): string | null {
    const asked = requests.findLast(({ kind }) => kind === 'reply')?.asked.model;
    if (asked !== undefined && asked !== '') {
      return asked;
    }
    return this.models.lookUp({ provider: agent.provider, model: agent.model }).model;
  }

  /** What the provider told early is kept; the rest is counted. */
  private async count(reply: RunningReply, told: ProviderUsage | null): Promise<Counted> {
    const { text, reasoning, toolCalls } = reply.fresh;
    const spoken = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].filter((words) => words !== '');
    const [prompt, words, thoughts] = await Promise.all([
      told?.prompt_tokens ?? this.promptOf(reply),
      this.tokenCounter.countAll(spoken),
      reasoning === '' ? 0 : this.tokenCounter.count(reasoning),
    ]);
    const completion = words.reduce((sum, count) => sum + count, thoughts);
    return {
      ...tokenUsage(prompt, Math.max(completion, told?.completion_tokens ?? 0)),
      cached: told?.cached_tokens ?? 0,
      cacheWrite: told?.cache_write_tokens ?? 0,
      reasoning: Math.max(thoughts, told?.reasoning_tokens ?? 0),
    };
  }

  private async countPrompt(reply: RunningReply): Promise<number> {
    try {
      return await this.tokenCounter.countConversation(await this.prompt.build(reply), reply.task.options?.tools);
    } catch (error) {
      // What had to be whole was told while there was room for it. By now the model may be known to have less.
      if (error instanceof ContextTooLongError) {
        return Number(error.details.tokens ?? error.details.limit ?? 0);
      }
      throw error;
    }
  }
}

/** What the provider of the running request has told by now. */
function toldOf({ requests }: RunningReply): ProviderUsage | null {
  const last = requests.at(-1);
  return last?.kind === 'reply' ? last.asked.usage : null;
}

/** What shortening the conversation cost counts, whatever became of the reply. */
export function withSpent(usage: ReplyTokenUsage, spent: ReplyTokenUsage | null): ReplyTokenUsage {
  if (spent === null) {
    return usage;
  }
  return {
    ...addUsage(usage, spent),
    ...addParts(usage, spent),
    isEstimated: usage.isEstimated || spent.isEstimated,
    model: usage.model ?? spent.model,
  };
}

/**
 * Whether the user is not charged: the model failed, or the service was interrupted, before a word. Who ends a reply pays for
 * the prompt, because the provider has been sent it; otherwise asking and stopping would cost nothing, again and again.
 */
function isFreeOfCharge({ fresh, isAsked, run }: RunningReply, { status }: GenerationOutcome): boolean {
  const isEmpty = fresh.text === '' && fresh.toolCalls.length === 0 && fresh.reasoning === '';
  // A run that waits, or ends by a limit, has asked nobody since its last round.
  const isAnswer = status === 'completed' && (run === null || isAsked);
  return isEmpty && !isAnswer && !(status === 'stopped' && isAsked);
}

const NO_TOKENS = { ...NO_USAGE, cached: 0, reasoning: 0 };

/** Finds out which requests a provider will bill for a reply: those that gave it, and those that were left for others. */
@Injectable()
export class CostMeter {
  constructor(
    private readonly config: GenerationConfig,
    private readonly models: LanguageModels,
    private readonly meter: UsageMeter,
  ) {}

  /** @param own what was counted for the reply itself */
  async of(reply: RunningReply, outcome: GenerationOutcome, own: MeteredUsage): Promise<SpentRequest[]> {
    const requests = reply.begun === null ? this.recovered(reply) : reply.requests;
    const isFailed = outcome.status === 'failed';
    // By its user or by this instance, and not by the provider, which may have taken what had left for it.
    const isEndedHere = outcome.status === 'interrupted' || outcome.status === 'stopped';
    const spent: SpentRequest[] = [];
    const attempts = attemptsBefore(reply);
    for (const request of requests) {
      const facts = factsOf(request, ++attempts[request.kind], reply.round);
      if (request.written !== undefined) {
        continue;
      }
      if (request.usage !== null) {
        spent.push({ ...facts, ...counted(request.asked, request.usage), isFailed: false });
      } else if (request === answerOf(requests) && !own.isFree) {
        spent.push({ ...facts, ...counted(request.asked, own.usage), isFailed });
      } else if (request.asked.isTaken || (isEndedHere && !request.asked.hasFailed)) {
        spent.push({ ...facts, ...(await this.left(reply, request)) });
      }
    }
    if (reply.run !== null) {
      // Its rounds have rows of their own.
      return spent;
    }
    const hasOwn = spent.some(({ isCounted }) => isCounted);
    return hasOwn || spent.some(({ kind }) => kind === 'compaction') ? spent : [...spent, this.free(reply, outcome)];
  }

  /** What was asked for a round that a crash has cut, as far as it is known. @param at when it was asked for */
  async ofCut(reply: RunningReply, at: Date): Promise<SpentRequest> {
    const request = this.assumed('reply', reply.task.agent, at);
    const facts = factsOf(request, attemptsBefore(reply).reply + 1, reply.round);
    const usage = toPricedUsage(await this.meter.ofCut(reply), 0);
    return { ...facts, usage, isEstimated: true, isCounted: false, isFailed: false };
  }

  /** Requests that a provider has taken and that were left for another, as far as they are not written down. */
  async ofLeft(reply: RunningReply): Promise<{ request: AskedRequest; spent: SpentRequest }[]> {
    const found: { request: AskedRequest; spent: SpentRequest }[] = [];
    const attempts = attemptsBefore(reply);
    for (const request of reply.requests) {
      const facts = factsOf(request, ++attempts[request.kind], reply.round);
      const { asked, usage, written } = request;
      if (asked.isTaken && asked.hasFailed && usage === null && written === undefined) {
        found.push({ request, spent: { ...facts, ...(await this.left(reply, request)) } });
      }
    }
    return found;
  }

  /** What was given up before a word came: what the provider told of it, or else its prompt. */
  private async left(
    reply: RunningReply,
    { asked, promptEstimate }: AskedRequest,
  ): Promise<Omit<SpentRequest, keyof Facts>> {
    const { usage, images } = asked;
    const tokens =
      usage === null
        ? { ...NO_TOKENS, prompt: promptEstimate ?? (await this.meter.promptOf(reply)) }
        : toReplyUsage(usage);
    return { usage: toPricedUsage(tokens, images), isEstimated: true, isCounted: false, isFailed: false };
  }

  /** A reply that cost nothing, because no provider took a request. */
  private free({ task }: RunningReply, { status, failedModel }: GenerationOutcome): SpentRequest {
    const { provider, model } = failedModel ?? this.models.lookUp(task.agent);
    return {
      kind: task.messages === 0 ? 'compaction' : 'reply',
      round: 1,
      attempt: 1,
      provider,
      model: model ?? '',
      modelAnswered: null,
      usage: { ...toPricedUsage(NO_TOKENS, 0), requests: 0 },
      isEstimated: false,
      isCounted: true,
      isFailed: status === 'failed',
      askedAt: task.startedAt,
    };
  }

  /** Of a reply whose instance died, nobody knows what was asked: what may have been asked is taken for it. */
  private recovered({ spent, task, run, isAsked }: RunningReply): AskedRequest[] {
    if (run !== null && !isAsked) {
      return [];
    }
    const { COMPACTION_MODEL } = this.config;
    const isCut = task.messages === 0;
    const summary = COMPACTION_MODEL === null ? task.agent : { provider: null, model: COMPACTION_MODEL };
    const compaction = this.assumed('compaction', summary, task.startedAt);
    const reply = this.assumed('reply', task.agent, task.startedAt);
    if (spent !== null) {
      return [{ ...compaction, usage: spent }, ...(isCut ? [] : [reply])];
    }
    return [isCut ? compaction : reply];
  }

  private assumed(
    kind: AskedRequest['kind'],
    named: { provider: string | null; model: string | null },
    at: Date,
  ): AskedRequest {
    const { provider, model } = this.models.lookUp(named);
    const asked = { ...newlyAsked({ provider, model: model ?? '', images: 0 }), isTaken: true };
    return { kind, at, asked, usage: null, promptEstimate: null };
  }
}

/** The request that gave the reply, or was to give it when the reply was ended; undefined: all of them failed. */
export function answerOf(requests: readonly AskedRequest[]): AskedRequest | undefined {
  return requests.findLast(({ kind, asked }) => kind === 'reply' && !asked.hasFailed);
}

/** Those of the same round that an instance has written down which died. */
function attemptsBefore({ earlierAttempts, round }: RunningReply): Record<AskedRequest['kind'], number> {
  const before = earlierAttempts.filter((attempt) => (attempt.round ?? 1) === round);
  const compaction = before.filter(({ kind }) => kind === 'compaction').length;
  return { reply: before.length - compaction, compaction };
}

type Facts = Pick<SpentRequest, 'kind' | 'round' | 'attempt' | 'provider' | 'model' | 'modelAnswered' | 'askedAt'>;

function factsOf({ kind, asked, at }: AskedRequest, attempt: number, round: number): Facts {
  const { provider, model, answered: modelAnswered } = asked;
  return { kind, round, attempt, provider, model, modelAnswered, askedAt: at };
}

function counted(
  { images }: AskedModel,
  usage: MeteredUsage['usage'],
): Pick<SpentRequest, 'usage' | 'isEstimated' | 'isCounted'> {
  return { usage: toPricedUsage(usage, images), isEstimated: usage.isEstimated, isCounted: true };
}
