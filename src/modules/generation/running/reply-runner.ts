import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { GenerationResult } from '../../../integrations/llm/port/completion';
import type { CompletionListener, ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError, ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import { ActingLoop } from '../acting/acting-loop';
import { RunGoesOnError, RunLostError } from '../acting/acting-run';
import { roundOptions } from '../acting/round-options';
import { callIdOf } from '../acting/shown-action';
import { WaitingReplies } from '../acting/waiting-replies';
import { LostReplies } from '../cluster/lost-replies';
import { AbandonedRequests } from '../ending/abandoned-requests';
import { FailureLog, ReplyFinisher } from '../ending/reply-finisher';
import { compactedOutcome, ReplyCompactor } from '../prompt/compaction/reply-compactor';
import { PromptBuilder } from '../prompt/prompt-builder';
import { abortedOutcome, completedOutcome, failedOutcome, type GenerationOutcome } from '../reply/reply-end';
import type { RunningReply } from '../reply/running-reply';
import { generationRequest, hasOutside } from './generation-request';
import { ReplyFlusher } from './reply-flusher';
import { ReplyRegistry } from './reply-registry';

/**
 * Writes replies: calls the model, passes its text on, and stores the end, with or without readers.
 *
 * This folder handles replies while this process writes them: `ReplyFlusher` saves their text as it grows, `ReplyDrain`
 * gives them time at a shutdown. `ending/` stores how they end.
 */
@Injectable()
export class ReplyRunner {
  constructor(
    private readonly clock: Clock,
    private readonly models: LanguageModels,
    private readonly registry: ReplyRegistry,
    private readonly prompt: PromptBuilder,
    private readonly flusher: ReplyFlusher,
    private readonly finisher: ReplyFinisher,
    private readonly failures: FailureLog,
    private readonly compactor: ReplyCompactor,
    private readonly acting: ActingLoop,
    private readonly lost: LostReplies,
    private readonly left: AbandonedRequests,
    private readonly ends: WaitingReplies,
  ) {}

  /** Starts a reply whose rows are stored, and returns at once. */
  start(reply: RunningReply): void {
    this.flusher.watch();
    void this.run(reply);
  }

  private async run(reply: RunningReply): Promise<void> {
    try {
      const outcome = await this.generate(reply);
      if (reply.run !== null && outcome.status === 'interrupted') {
        await this.acting.letGo(reply);
        throw new RunLostError(reply.messageId);
      }
      reply.showEnding();
      const end = await this.ends.unlessStopped(reply, await this.finisher.finishSurely(reply, outcome));
      if (end.status !== 'requires_action') {
        // Before the reply counts as ended, so that a shutdown also waits for follow-up work such as a title.
        reply.origin.afterEnd(reply, end);
      }
      this.registry.remove(reply);
      reply.finish(end);
    } catch (error) {
      if (error instanceof RunGoesOnError) {
        reply.isResumed = true;
        reply.showGoingOn();
        await this.run(reply);
      } else if (error instanceof RunLostError) {
        this.leave(reply);
      } else {
        throw error;
      }
    }
  }

  /** Another instance continues the reply, or will. This one stores no more of it. */
  private leave(reply: RunningReply): void {
    this.registry.remove(reply);
    void this.lost.handOver(reply);
  }

  private async generate(reply: RunningReply): Promise<GenerationOutcome> {
    try {
      const ended = reply.isResumed ? await this.goOn(reply) : null;
      if (ended !== null) {
        return ended;
      }
      const messages = await this.acting.retryWhileDatabaseIsAway(reply, () => this.messagesFor(reply));
      if (messages === null) {
        return compactedOutcome(reply);
      }
      if (reply.task.acting === undefined) {
        return completedOutcome(await this.ask(reply, messages));
      }
      reply.toldOutside ||= hasOutside(messages);
      if (reply.run !== null) {
        await this.acting.admit(reply, messages);
      }
      return (await this.acting.afterRound(reply, await this.ask(reply, messages))) ?? (await this.generate(reply));
    } catch (error) {
      if (error instanceof RunLostError) {
        throw error;
      }
      if (goesInWords(reply, error)) {
        return this.generate(reply);
      }
      return reply.abortReason === null ? this.failed(reply, error) : abortedOutcome(reply.abortReason);
    }
  }

  private goOn(reply: RunningReply): Promise<GenerationOutcome | null> {
    reply.isResumed = false;
    return this.acting.proceed(reply, false);
  }

  private async ask(reply: RunningReply, messages: ModelMessage[]): Promise<GenerationResult> {
    const { task, held } = reply;
    if (reply.requests.length > 0) {
      // Earlier requests: of a failed summary, or of models that lacked a feature.
      await this.left.keep(reply);
    }
    const request = generationRequest({ ...task, options: roundOptions(reply) }, messages, held);
    return this.models.generate(request, this.listenTo(reply, messages), reply.signal);
  }

  /** The prompt. Null when the request only wanted a compaction, which the reply then contains. */
  private async messagesFor(reply: RunningReply): Promise<ModelMessage[] | null> {
    const { options } = reply.task;
    if (options?.compaction === undefined) {
      return this.prompt.build(reply);
    }
    const turns = await this.prompt.turns(reply);
    if (reply.compaction === null) {
      await this.compactor.compact(reply, turns, () => this.left.keep(reply));
      // The cost of the summary must not be lost during the next model call.
      await this.flusher.written(reply).catch(() => this.flusher.soon(reply));
    }
    return options.compaction === 'only' ? null : this.prompt.toMessages(reply, turns);
  }

  private failed(reply: RunningReply, error: unknown): GenerationOutcome {
    const { provider, model } = reply.task.agent;
    const known = error instanceof ModelProviderError ? error.failedModel : null;
    const outcome = failedOutcome(error, known ?? this.models.lookUp({ provider, model }));
    this.failures.report(reply, outcome, error);
    return outcome;
  }

  private listenTo(reply: RunningReply, messages: ModelMessage[]): CompletionListener {
    const startedAt = performance.now();
    const first = reply.toolCalls.length;
    const { acting, options } = reply.task;
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
      onActivity: () => reply.showLife(),
      onAskingAgain: () => this.left.keep(reply),
      onAsked: (asked) => {
        reply.requests.push({ kind: 'reply', asked, at: this.clock.now(), usage: null, promptEstimate: null });
        reply.isAsked = true;
        reply.showAskedAgain();
      },
      onFailed: () => (reply.isAsked = false),
      onRetry: () => reply.showRefusal(),
      ...(options !== null && {
        onToolCall: (_index: number, { id, name }: { id: string; name: string }) => {
          begin();
          // A provider may repeat an id. Calls that the service makes have ids of their own.
          const ownId =
            acting === undefined ? id : callIdOf({ messageId: reply.messageId, number: reply.toolCalls.length });
          reply.callTool(ownId, name, options.tools.find((tool) => tool.name === name)?.tool);
          this.flusher.grown(reply, name);
        },
        onToolArguments: (index: number, text: string) => {
          reply.addArguments(first + index, text);
          this.flusher.grown(reply, text);
        },
      }),
    };
  }
}

/**
 * Whether the models only lacked features that earlier messages need, such as images from before a change of the
 * agent's model. The next attempt then describes that content in words. Otherwise the conversation could never
 * continue.
 */
function goesInWords(reply: RunningReply, error: unknown): boolean {
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
