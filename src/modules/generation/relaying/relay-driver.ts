import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import {
  incompleteMessage,
  LONGEST_REPLY,
  MessageMeter,
  type MeterListener,
  ModelRelays,
  toCallFailure,
  wholeParts,
} from '../../../integrations/llm/model-relays';
import { type CalledModel, newCalledModel } from '../../../integrations/llm/port/called-model';
import { ProviderTimeoutError } from '../../../integrations/llm/port/llm.errors';
import type { RelayedAnswer, RelayRequest } from '../../../integrations/llm/port/relay';
import { ReplyGuards } from '../guarding/reply-guards';
import { outputLimitOf } from '../prompt/generation-request';
import { completedOutcome, type GenerationOutcome } from '../reply/reply-end';
import type { RunningReply } from '../reply/running-reply';
import { ModelCaller, PlainDriver } from '../running/model-caller';
import { ReplyFlusher } from '../running/reply-flusher';
import { GuardedRelay } from './guarded-relay';
import type { RelayOrder } from './relay-order';

/** How much of a response that is no message is logged, in bytes. */
const LONGEST_SHOWN = 500;

/** Writes replies whose provider gets the client's bytes, and whose client gets the provider's. */
@Injectable()
export class RelayDriver extends PlainDriver {
  constructor(
    caller: ModelCaller,
    private readonly relays: ModelRelays,
    private readonly flusher: ReplyFlusher,
    private readonly clock: Clock,
    private readonly guards: ReplyGuards,
  ) {
    super(caller);
  }

  override write(reply: RunningReply): Promise<GenerationOutcome> {
    return this.caller.outcomeOf(reply, () => this.relay(reply));
  }

  private async relay(reply: RunningReply): Promise<GenerationOutcome> {
    const { agent, options, relay: order } = reply.task;
    const created = order?.createRequest?.(outputLimitOf(options?.parameters ?? {}) ?? 0);
    if (order === undefined || created === undefined) {
      throw new Error('A relayed reply is not relayed twice.');
    }
    order.createRequest = null;
    const request = this.guards.exist ? await this.maskedRequest(reply, created) : created;
    const guarded = this.guards.exist ? await this.guards.outputOf(reply) : null;
    const called = newCalledModel({
      provider: agent.provider ?? '',
      model: agent.model ?? '',
      images: order.size.images,
    });
    reply.requests.push({ kind: 'reply', called, at: this.clock.now(), usage: null, promptEstimate: null });
    reply.isModelCalled = true;
    const span = this.relays.startSpan(request, { kind: 'reply', round: reply.round });
    span.note(called);
    Object.assign(request.headers, span.headers);
    const listener = this.listenerOf(reply, called);
    const meter = new MessageMeter(
      guarded === null ? listener : { ...SILENT, onUsage: (usage) => listener.onUsage(usage) },
    );
    const relayed = guarded && new GuardedRelay(guarded, reply, listener, order.sink);
    try {
      const answer = await this.relays.open(request, order.limits, reply.signal);
      noteAnswer(reply, called);
      await pass(answer, order, meter, relayed);
    } catch (error) {
      noteFailure(reply, called, error);
      order.failure = error;
      span.fail(error);
      throw error;
    } finally {
      called.endedAt = performance.now();
      called.answered = meter.model;
    }
    span.end({ [ATTRIBUTES.finishReasons]: meter.finishReason === null ? null : [meter.finishReason] }, null);
    if (relayed?.isBlocked) {
      return completedOutcome({ finishReason: 'content_filter', model: meter.model, usage: null });
    }
    return completedOutcome({ finishReason: meter.finishReason, model: meter.model, usage: meter.usage });
  }

  private async maskedRequest(reply: RunningReply, request: RelayRequest): Promise<RelayRequest> {
    const body = JSON.parse(request.body.toString('utf8')) as Record<string, unknown>;
    const masked = await this.guards.maskMessages(reply, body);
    return isDeepStrictEqual(masked.body, body)
      ? request
      : { ...request, body: Buffer.from(JSON.stringify(masked.body)) };
  }

  /** The text is only kept to settle the reply if it is cut. */
  private listenerOf(reply: RunningReply, called: CalledModel): MeterListener {
    let length = 0;
    const keep = (text: string, add: () => void): void => {
      length += text.length;
      if (length <= LONGEST_REPLY) {
        add();
        this.flusher.grown(reply, text);
      }
    };
    return {
      onText: (text) => keep(text, () => reply.append(text)),
      onReasoning: (text) => keep(text, () => reply.reason(text)),
      onToolCall: (id, name) => keep(id + name, () => reply.callTool(id, name)),
      onToolArguments: (text) => keep(text, () => reply.addArguments(reply.toolCalls.length - 1, text)),
      onUsage: (usage) => (called.usage = usage),
    };
  }
}

const SILENT = {
  onText: () => undefined,
  onReasoning: () => undefined,
  onToolCall: () => undefined,
  onToolArguments: () => undefined,
};

/** Passes the response on. @throws ProviderError if it is incomplete */
async function pass(
  answer: RelayedAnswer,
  order: RelayOrder,
  meter: MessageMeter,
  guarded: GuardedRelay | null,
): Promise<void> {
  const { sink } = order;
  await sink.begin(answer);
  for await (const part of wholeParts(answer)) {
    if (answer.isStream) {
      meter.readEvent(part);
    } else {
      meter.readMessage(part);
      if (!meter.isComplete) {
        throw incompleteMessage(`The answer is not a message: ${part.toString('utf8', 0, LONGEST_SHOWN)}`);
      }
    }
    await (guarded === null ? sink.write(part) : guarded.write(part));
    if (guarded?.isBlocked) {
      return;
    }
  }
  if (meter.hasFailed) {
    order.isFailureRelayed = true;
    throw incompleteMessage('The provider ended the stream with an error event.');
  }
  if (answer.isStream && !meter.isComplete) {
    throw incompleteMessage();
  }
}

function noteAnswer(reply: RunningReply, called: CalledModel): void {
  called.isTaken = true;
  called.firstAt = performance.now();
  reply.firstTokenMs = Math.round(called.firstAt - called.startedAt);
  reply.showLife();
}

/** A request that the provider refused is free. One that it accepted, or was slow to answer, may be billed. */
function noteFailure(reply: RunningReply, called: CalledModel, error: unknown): void {
  const isAnswered = called.isTaken;
  called.failure = toCallFailure(error);
  called.isCut = called.failure === null;
  called.isTaken ||= error instanceof ProviderTimeoutError;
  if (!isAnswered && reply.abortReason === null) {
    called.hasFailed = true;
    reply.isModelCalled = called.isTaken;
  }
}
