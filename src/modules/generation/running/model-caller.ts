import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { AnthropicRequest } from '../../../integrations/llm/port/anthropic-request';
import type { GenerationRequest, GenerationResult } from '../../../integrations/llm/port/completion';
import type { CompletionListener, ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError, ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import { AbandonedRequests } from '../ending/abandoned-requests';
import { FailureLog } from '../ending/reply-finisher';
import { GuardedOutput } from '../guarding/guarded-output';
import type { GuardedReply } from '../guarding/guarded-reply';
import { ReplyGuards } from '../guarding/reply-guards';
import { OutputBlockedError } from '../guarding/window-release';
import { anthropicTurns } from '../prompt/anthropic-turns';
import { compactedOutcome, ReplyCompactor } from '../prompt/compaction/reply-compactor';
import { generationRequest } from '../prompt/generation-request';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { GenerationOptions } from '../reply/generation-task';
import { MarkReader } from '../reply/mark-reader';
import type { CutReply, ReplyDriver } from '../reply/reply-driver';
import {
  abortedOutcome,
  completedOutcome,
  failedOutcome,
  type GenerationOutcome,
  type ReplyEnd,
} from '../reply/reply-end';
import { ReplyLostError } from '../reply/reply-rounds';
import type { StoredReply } from '../reply/reply-row';
import type { RunningReply } from '../reply/running-reply';
import { ReplyFlusher } from './reply-flusher';

/** How a driver changes one call of the model. */
interface CallOptions {
  /** Absent: the options of the task. */
  options?: GenerationOptions | null;
  /** The id of a call that the model requests, by its number in the reply. Absent: the provider's own id. */
  callId?: (number: number) => string;
}

/** Calls the model of a reply once, and passes on what it sends. The drivers decide how often. */
@Injectable()
export class ModelCaller {
  constructor(
    private readonly clock: Clock,
    private readonly models: LanguageModels,
    private readonly prompt: PromptBuilder,
    private readonly flusher: ReplyFlusher,
    private readonly failures: FailureLog,
    private readonly compactor: ReplyCompactor,
    private readonly abandonedRequests: AbandonedRequests,
    private readonly guards: ReplyGuards,
  ) {}

  /**
   * Runs the work of a driver. A failure or an abort becomes the outcome of the reply.
   *
   * @param work runs again if the models only lacked a feature that earlier messages need
   * @throws ReplyLostError
   */
  async outcomeOf(reply: RunningReply, work: () => Promise<GenerationOutcome>): Promise<GenerationOutcome> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ReplyLostError) {
          throw error;
        }
        if (!describesInstead(reply, error)) {
          return reply.abortReason === null ? this.failed(reply, error) : abortedOutcome(reply.abortReason);
        }
      }
    }
  }

  /** The prompt. Null when the request only wanted a compaction, which the reply then contains. */
  async promptFor(reply: RunningReply): Promise<ModelMessage[] | null> {
    const { options } = reply.task;
    if (options?.compaction === undefined && !this.guards.exist) {
      return this.prompt.build(reply);
    }
    const stored = await this.prompt.turns(reply);
    const masked = this.guards.exist ? await this.guards.maskTurns(reply, stored) : stored;
    const turns = this.prompt.withContext(reply, masked);
    if (options?.compaction === undefined) {
      return this.prompt.toMessages(reply, turns);
    }
    if (reply.compaction === null) {
      await this.compactor.compact(reply, turns, () => this.abandonedRequests.keep(reply));
      // The cost of the summary must not be lost during the next model call.
      await this.flusher.written(reply).catch(() => this.flusher.soon(reply));
    }
    return options.compaction === 'only' ? null : this.prompt.toMessages(reply, turns);
  }

  /**
   * Calls the model with a prompt.
   *
   * @param wish what differs from the reply's task
   */
  async call(reply: RunningReply, messages: ModelMessage[], wish: CallOptions = {}): Promise<GenerationResult> {
    const { task, held } = reply;
    if (reply.requests.length > 0) {
      // Earlier requests: of a failed summary, or of models that lacked a feature.
      await this.abandonedRequests.keep(reply);
    }
    const options = wish.options ?? task.options;
    const request = generationRequest({ ...task, options }, messages, held);
    if (options?.anthropic !== undefined) {
      await this.addAnthropicTurns(reply, request, options.anthropic);
    }
    request.traced = { kind: 'reply', round: reply.round };
    const listener = this.toListener(reply, messages, wish);
    const guarded = this.guards.exist ? await this.guards.outputOf(reply) : null;
    if (guarded !== null) {
      return this.generateGuarded(reply, guarded, request, listener);
    }
    if (reply.passages.isEmpty) {
      return this.models.generate(request, listener, reply.signal);
    }
    const marks = readingMarks(reply, listener, (number) => reply.cite(number));
    try {
      return await this.models.generate(request, marks.listener, reply.signal);
    } finally {
      marks.end();
    }
  }

  /** Only what guards release reaches the reply. If one blocks the output, the reply ends with what was released. */
  private async generateGuarded(
    reply: RunningReply,
    guarded: GuardedReply,
    request: GenerationRequest,
    listener: CompletionListener,
  ): Promise<GenerationResult> {
    // A text is checked without the marks of passages, because they are not shown. Events of a provider have them.
    const hasMarks = !reply.passages.isEmpty;
    const afterEvents = hasMarks ? readingMarks(reply, listener, (number) => reply.cite(number)) : null;
    const output = new GuardedOutput(
      guarded,
      { ...listener, onCitation: (number) => reply.cite(number) },
      afterEvents?.listener ?? listener,
    );
    const taking = output.listenerFor(listener);
    const marks = hasMarks ? readingMarks(reply, taking, (piece) => output.take({ kind: 'text', piece })) : null;
    const signal = AbortSignal.any([reply.signal, output.signal]);
    let result: GenerationResult | null = null;
    try {
      result = await this.models.generate(request, marks?.listener ?? taking, signal);
      marks?.end();
      await output.end();
      return result;
    } catch (error) {
      reply.withheld += output.withheld;
      if (output.failure?.error instanceof OutputBlockedError) {
        const { provider = '', model = '' } = reply.requests.findLast(({ kind }) => kind === 'reply')?.called ?? {};
        return { usage: null, provider, model, ...result, finishReason: 'content_filter' };
      }
      throw output.failure === null ? error : output.failure.error;
    } finally {
      afterEvents?.end();
    }
  }

  private async addAnthropicTurns(
    reply: RunningReply,
    request: GenerationRequest,
    anthropic: AnthropicRequest,
  ): Promise<void> {
    const turns = anthropicTurns(reply);
    request.anthropicTurns = turns;
    if (this.guards.exist) {
      const masked = await this.guards.maskMessages(reply, anthropic.body, turns);
      request.anthropicTurns = masked.own;
      // The failure of the request is still noted in the original one.
      request.anthropic = {
        ...anthropic,
        body: masked.body,
        get failure() {
          return anthropic.failure;
        },
        set failure(failure) {
          anthropic.failure = failure;
        },
      };
    }
  }

  private failed(reply: RunningReply, error: unknown): GenerationOutcome {
    const { provider, model } = reply.task.agent;
    const known = error instanceof ModelProviderError ? error.failedModel : null;
    const outcome = failedOutcome(error, known ?? this.models.lookUp({ provider, model }));
    this.failures.report(reply, outcome, error);
    return outcome;
  }

  private toListener(
    reply: RunningReply,
    messages: ModelMessage[],
    { callId }: Pick<CallOptions, 'callId'>,
  ): CompletionListener {
    const startedAt = performance.now();
    const noteToken = (): void => {
      reply.firstTokenMs ??= Math.round(performance.now() - startedAt);
    };
    // No fallback model is tried from here on. Thousands of running replies must not hold their histories in memory.
    const begin = (): void => {
      noteToken();
      messages.length = 0;
    };
    return {
      onText: (text) => {
        if (reply.words.length === 0) {
          begin();
        }
        reply.append(text);
        this.flusher.grown(reply, text);
      },
      onReasoning: (text) => {
        noteToken();
        reply.reason(text);
        this.flusher.grown(reply, text);
      },
      onEvent: (event) => reply.addEvent(event),
      onActivity: () => reply.showLife(),
      onRepeat: () => this.abandonedRequests.keep(reply),
      onCall: (called) => {
        reply.requests.push({ kind: 'reply', called, at: this.clock.now(), usage: null, promptEstimate: null });
        reply.isModelCalled = true;
        reply.showRetry();
      },
      onFailed: () => (reply.isModelCalled = false),
      onRetry: () => reply.showRefusal(),
      ...this.listenToCalls(reply, begin, callId),
    };
  }

  /** Empty if the model was offered no functions. @param begin called before each call */
  private listenToCalls(
    reply: RunningReply,
    begin: () => void,
    callId: CallOptions['callId'],
  ): Pick<CompletionListener, 'onToolCall' | 'onToolArguments'> {
    const { options } = reply.task;
    if (options === null) {
      return {};
    }
    const first = reply.toolCalls.length;
    return {
      onToolCall: (_index, { id, name }) => {
        begin();
        const tool = options.tools.find((offered) => offered.name === name)?.tool;
        reply.callTool(callId?.(reply.toolCalls.length) ?? id, name, tool);
        this.flusher.grown(reply, name);
      },
      onToolArguments: (index, text) => {
        reply.addArguments(first + index, text);
        this.flusher.grown(reply, text);
      },
    };
  }
}

/**
 * A listener that removes the marks of passages. In the text they become citations, in the reasoning they only disappear,
 * like marks without a passage. Call `end` after the last piece.
 */
function readingMarks(
  { passages }: Pick<RunningReply, 'passages'>,
  listener: CompletionListener,
  cite: (number: number) => void,
): { listener: CompletionListener; end: () => void } {
  const [text, reasoning] = [new MarkReader(), new MarkReader()];
  const takeText = (piece: string): void => {
    for (const part of text.read(piece)) {
      if (typeof part === 'string') {
        listener.onText(part);
      } else if (passages.find(part) !== undefined) {
        cite(part);
      }
    }
  };
  const takeReasoning = (piece: string): void =>
    reasoning.read(piece).forEach((part) => typeof part === 'string' && listener.onReasoning?.(part));
  const end = (): void => {
    [reasoning.end()].filter(Boolean).forEach((held) => listener.onReasoning?.(held));
    [text.end()].filter(Boolean).forEach((held) => listener.onText(held));
  };
  return {
    listener: {
      ...listener,
      onText: takeText,
      onReasoning: takeReasoning,
      ...(listener.onToolCall && {
        onToolCall: (index, call) => {
          end();
          listener.onToolCall?.(index, call);
        },
      }),
    },
    end,
  };
}

/**
 * Whether the models only lacked features that earlier messages need, such as images from before a change of the
 * agent's model. The next call then describes that content in words. Otherwise the conversation could never
 * continue.
 */
function describesInstead(reply: RunningReply, error: unknown): boolean {
  if (!(error instanceof FeatureNotSupportedError) || reply.abortReason !== null || !reply.isEmpty) {
    return false;
  }
  const feature = error.details.feature as ModelFeature;
  if (!reply.neededBefore.has(feature) || reply.inWords.has(feature)) {
    return false;
  }
  reply.inWords.add(feature);
  reply.showRefusal();
  return true;
}

/** Writes replies with one model call. Whatever cuts such a reply ends it. */
@Injectable()
export class PlainDriver implements ReplyDriver {
  constructor(protected readonly caller: ModelCaller) {}

  write(reply: RunningReply): Promise<GenerationOutcome> {
    return this.caller.outcomeOf(reply, async () => {
      const messages = await this.caller.promptFor(reply);
      return messages === null ? compactedOutcome(reply) : completedOutcome(await this.caller.call(reply, messages));
    });
  }

  holds(): Promise<boolean> {
    return Promise.resolve(true);
  }

  beforeEnd(): Promise<void> {
    return Promise.resolve();
  }

  afterEnd(_reply: RunningReply, end: ReplyEnd): Promise<ReplyEnd> {
    return Promise.resolve(end);
  }

  stopWaiting(): Promise<void> {
    return Promise.resolve();
  }

  resume(): Promise<CutReply> {
    return Promise.resolve({
      outcome: abortedOutcome('interrupted'),
      restore(reply: RunningReply, { tokenUsage }: StoredReply) {
        // Until the reply ends, this column has the usage of its compaction.
        reply.spent = tokenUsage;
      },
    });
  }
}
