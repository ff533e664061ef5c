import { Injectable } from '@nestjs/common';
import { NO_USAGE } from '../../../common/token-usage';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { type AskedModel, newlyAsked } from '../../../integrations/llm/port/asked-model';
import { toReplyUsage } from '../../../integrations/llm/port/reply-usage';
import { type SpentRequest, toPricedUsage } from '../../usage/usage.api';
import { GenerationConfig } from '../generation.config';
import type { AskedRequest } from '../reply/asked-request';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';
import { type MeteredUsage, UsageMeter } from './usage-meter';

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
