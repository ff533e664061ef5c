import { Injectable } from '@nestjs/common';
import { addParts, addUsage, NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../integrations/llm/language-models';
import {
  type CalledModel,
  newCalledModel,
  type ProviderUsage,
  toReplyUsage,
} from '../../../integrations/llm/port/called-model';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { type SpentRequest, toPricedUsage } from '../../usage/usage.api';
import { GenerationConfig } from '../generation.config';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { ReplyRequest } from '../reply/generation-task';
import type { GenerationOutcome } from '../reply/reply-end';
import type { RunningReply } from '../reply/running-reply';

type Counted = Omit<ReplyTokenUsage, 'isEstimated' | 'model'>;

/** The usage of a reply. */
export interface MeteredUsage {
  usage: ReplyTokenUsage;
  /** Whether the user is not charged for it. See `isFreeOfCharge`. */
  isFree: boolean;
}

/** Determines the token usage of a reply, as reported by the provider or counted by the service. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly prompt: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  /** The usage of the reply itself, without the compaction of its conversation. */
  async ofReply(reply: RunningReply, outcome: GenerationOutcome): Promise<MeteredUsage> {
    const isFree = isFreeOfCharge(reply, outcome);
    const model = outcome.model ?? (isFree ? null : this.calledModel(reply));
    if (outcome.usage !== null) {
      return { usage: { ...toReplyUsage(outcome.usage), isEstimated: false, model }, isFree: false };
    }
    if (isFree) {
      // Earlier rounds have their own usage. This round adds nothing, and so no estimate either.
      const isEstimated = reply.earlier === null;
      return { usage: { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated, model }, isFree };
    }
    const counted = await this.count(reply, reportedUsage(reply));
    return { usage: { ...counted, isEstimated: true, model }, isFree };
  }

  /** The known usage of a request whose instance died: its prompt and the stored part of its output. */
  ofCut(reply: RunningReply): Promise<Counted> {
    return this.count(reply, null);
  }

  /** Tokens of the prompt, counted by the service. */
  async promptOf(reply: RunningReply): Promise<number> {
    return reply.origin.promptTokens ?? this.countPrompt(reply);
  }

  /** The model that was called, if it did not report its name. */
  private calledModel({ requests, task: { agent } }: RunningReply): string | null {
    const called = requests.findLast(({ kind }) => kind === 'reply')?.called.model;
    if (called !== undefined && called !== '') {
      return called;
    }
    return this.models.lookUp({ provider: agent.provider, model: agent.model }).model;
  }

  /** Uses the counts that the provider already reported, and counts the rest. */
  private async count(reply: RunningReply, reported: ProviderUsage | null): Promise<Counted> {
    const { text, reasoning, toolCalls } = reply.fresh;
    const calls = toolCalls.flatMap((call) => [call.name, call.arguments]);
    const spoken = [text, reply.withheld, ...calls].filter((words) => words !== '');
    const [prompt, words, thoughts] = await Promise.all([
      reported?.prompt_tokens ?? this.promptOf(reply),
      this.tokenCounter.countAll(spoken),
      reasoning === '' ? 0 : this.tokenCounter.count(reasoning),
    ]);
    const completion = words.reduce((sum, count) => sum + count, thoughts);
    return {
      ...tokenUsage(prompt, Math.max(completion, reported?.completion_tokens ?? 0)),
      cached: reported?.cached_tokens ?? 0,
      cacheWrite: reported?.cache_write_tokens ?? 0,
      cacheWrite1h: reported?.cache_write_1h_tokens ?? 0,
      webSearches: reported?.web_searches ?? 0,
      reasoning: Math.max(thoughts, reported?.reasoning_tokens ?? 0),
    };
  }

  private async countPrompt(reply: RunningReply): Promise<number> {
    try {
      return await this.tokenCounter.countConversation(await this.prompt.build(reply), reply.task.options?.tools);
    } catch (error) {
      // A prompt that must be whole did fit when it was sent. The known context window may have become smaller since.
      if (error instanceof ContextTooLongError) {
        return Number(error.details.tokens ?? error.details.limit ?? 0);
      }
      throw error;
    }
  }
}

/** The usage that the provider of the running request has reported so far. */
function reportedUsage({ requests }: RunningReply): ProviderUsage | null {
  const last = requests.at(-1);
  return last?.kind === 'reply' ? last.called.usage : null;
}

/** Adds the usage of the compaction, which counts whatever the outcome of the reply. */
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
 * Whether the user is not charged: the model failed, or the service was interrupted, before any output. A user who
 * stops a reply pays for the prompt, because the provider has received it. Otherwise a client could send and stop
 * requests at no cost.
 */
function isFreeOfCharge({ fresh, isModelCalled, hasRounds }: RunningReply, { status }: GenerationOutcome): boolean {
  const isEmpty = fresh.text === '' && fresh.toolCalls.length === 0 && fresh.reasoning === '';
  // A reply that waits, or that ends at a limit, has not called a model since its last round.
  const isAnswer = status === 'completed' && (!hasRounds || isModelCalled);
  return isEmpty && !isAnswer && !(status === 'stopped' && isModelCalled);
}

const NO_TOKENS = { ...NO_USAGE, cached: 0, reasoning: 0 };

/** Determines which requests of a reply a provider bills: those that produced it, and those abandoned for others. */
@Injectable()
export class CostMeter {
  constructor(
    private readonly config: GenerationConfig,
    private readonly models: LanguageModels,
    private readonly meter: UsageMeter,
  ) {}

  /** @param own the usage of the reply itself */
  async of(reply: RunningReply, outcome: GenerationOutcome, own: MeteredUsage): Promise<SpentRequest[]> {
    const requests = reply.begun === null ? this.recovered(reply) : reply.requests;
    const isFailed = outcome.status === 'failed';
    // Ended by the user or this instance. The provider may have accepted a request that was already sent.
    const isEndedHere = outcome.status === 'interrupted' || outcome.status === 'stopped';
    const spent: SpentRequest[] = [];
    const counts = requestsBefore(reply);
    for (const request of requests) {
      const facts = factsOf(request, ++counts[request.kind], reply.round);
      if (request.written !== undefined) {
        continue;
      }
      if (request.usage !== null) {
        spent.push({ ...facts, ...toCountedUsage(request.called, request.usage), isFailed: false });
      } else if (request === answerOf(requests) && !own.isFree) {
        spent.push({ ...facts, ...toCountedUsage(request.called, own.usage), isFailed });
      } else if (request.called.isTaken || (isEndedHere && !request.called.hasFailed)) {
        spent.push({ ...facts, ...(await this.abandoned(reply, request)) });
      }
    }
    if (reply.hasRounds) {
      // Earlier rounds have rows of their own.
      return spent;
    }
    const hasOwn = spent.some(({ isCounted }) => isCounted);
    return hasOwn || spent.some(({ kind }) => kind === 'compaction') ? spent : [...spent, this.free(reply, outcome)];
  }

  /** The request of a round that a crash cut off, as far as it is known. @param at when it was sent */
  async ofCut(reply: RunningReply, at: Date): Promise<SpentRequest> {
    const request = this.assumed('reply', reply.task.agent, at);
    const facts = factsOf(request, requestsBefore(reply).reply + 1, reply.round);
    const usage = toPricedUsage(await this.meter.ofCut(reply), 0);
    return { ...facts, usage, isEstimated: true, isCounted: false, isFailed: false };
  }

  /** Requests that a provider accepted, that were abandoned for another, and that are not in the ledger yet. */
  async ofAbandoned(reply: RunningReply): Promise<{ request: ReplyRequest; spent: SpentRequest }[]> {
    const found: { request: ReplyRequest; spent: SpentRequest }[] = [];
    const counts = requestsBefore(reply);
    for (const request of reply.requests) {
      const facts = factsOf(request, ++counts[request.kind], reply.round);
      const { called, usage, written } = request;
      if (called.isTaken && called.hasFailed && usage === null && written === undefined) {
        found.push({ request, spent: { ...facts, ...(await this.abandoned(reply, request)) } });
      }
    }
    return found;
  }

  /** A request abandoned before its output: the usage that the provider reported, or else its prompt. */
  private async abandoned(
    reply: RunningReply,
    { called, promptEstimate }: ReplyRequest,
  ): Promise<Omit<SpentRequest, keyof Facts>> {
    const { usage, images } = called;
    const tokens =
      usage === null
        ? { ...NO_TOKENS, prompt: promptEstimate ?? (await this.meter.promptOf(reply)) }
        : toReplyUsage(usage);
    return { usage: toPricedUsage(tokens, images), isEstimated: true, isCounted: false, isFailed: false };
  }

  /** The ledger entry of a reply without cost: no provider accepted a request. */
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

  /** The requests of a reply whose instance died. They were not stored, so the possible requests are assumed. */
  private recovered({ spent, task, hasRounds, isModelCalled }: RunningReply): ReplyRequest[] {
    if (hasRounds && !isModelCalled) {
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
    kind: ReplyRequest['kind'],
    named: { provider: string | null; model: string | null },
    at: Date,
  ): ReplyRequest {
    const { provider, model } = this.models.lookUp(named);
    const called = { ...newCalledModel({ provider, model: model ?? '', images: 0 }), isTaken: true };
    return { kind, at, called, usage: null, promptEstimate: null };
  }
}

/** The request that produced the reply, or was running when the reply was stopped. Undefined: all requests failed. */
export function answerOf(requests: readonly ReplyRequest[]): ReplyRequest | undefined {
  return requests.findLast(({ kind, called }) => kind === 'reply' && !called.hasFailed);
}

/** Number of requests of the same round that a dead instance has stored. */
function requestsBefore({ earlierRequests, round }: RunningReply): Record<ReplyRequest['kind'], number> {
  const before = earlierRequests.filter((attempt) => (attempt.round ?? 1) === round);
  const compaction = before.filter(({ kind }) => kind === 'compaction').length;
  return { reply: before.length - compaction, compaction };
}

type Facts = Pick<SpentRequest, 'kind' | 'round' | 'attempt' | 'provider' | 'model' | 'modelAnswered' | 'askedAt'>;

function factsOf({ kind, called, at }: ReplyRequest, attempt: number, round: number): Facts {
  const { provider, answered: modelAnswered, usage } = called;
  const model = called.model + (usage?.tariff ?? '');
  return { kind, round, attempt, provider, model, modelAnswered, askedAt: at };
}

function toCountedUsage(
  { images }: CalledModel,
  usage: MeteredUsage['usage'],
): Pick<SpentRequest, 'usage' | 'isEstimated' | 'isCounted'> {
  return { usage: toPricedUsage(usage, images), isEstimated: usage.isEstimated, isCounted: true };
}
