import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Lifecycle } from '../../../common/lifecycle';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { CompletionListener, ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError, ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import type { ModelFeature } from '../../../integrations/llm/port/message-parts';
import { FailureLog } from '../ending/failure-log';
import { ReplyFinisher } from '../ending/reply-finisher';
import { compactedOutcome, ReplyCompactor } from '../prompt/compaction/reply-compactor';
import { PromptBuilder } from '../prompt/prompt-builder';
import { abortedOutcome, completedOutcome, failedOutcome, type GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';
import { generationRequest } from './generation-request';
import { ReplyFlusher } from './reply-flusher';
import { ReplyRegistry } from './reply-registry';

/**
 * Writes replies: asks the model, passes its text on, and stores the end. It does not matter whether anybody reads.
 *
 * This folder is about replies while this process writes them: `ReplyFlusher` saves their text as it grows, `ReplyDrain`
 * gives them time at a shutdown. `ending/` stores how they end.
 */
@Injectable()
export class ReplyRunner {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly clock: Clock,
    private readonly models: LanguageModels,
    private readonly registry: ReplyRegistry,
    private readonly prompt: PromptBuilder,
    private readonly flusher: ReplyFlusher,
    private readonly finisher: ReplyFinisher,
    private readonly failures: FailureLog,
    private readonly compactor: ReplyCompactor,
  ) {}

  /** @throws ServiceUnavailableError once the process is shutting down. */
  assertTakesReplies(): void {
    this.lifecycle.assertAcceptsWork();
  }

  /** Starts a reply whose rows are stored, and returns at once. */
  start(reply: RunningReply): void {
    this.flusher.watch();
    void this.run(reply);
  }

  private async run(reply: RunningReply): Promise<void> {
    const outcome = await this.generate(reply);
    const end = await this.finisher.finishSurely(reply, outcome);
    // Before the reply counts as ended: a process that shuts down then waits for what follows too, such as a title.
    reply.origin.afterEnd(reply, end);
    this.registry.remove(reply);
    reply.finish(end);
  }

  private async generate(reply: RunningReply): Promise<GenerationOutcome> {
    try {
      const messages = await this.messagesFor(reply);
      if (messages === null) {
        return compactedOutcome(reply);
      }
      const request = generationRequest(reply.task, messages, reply.held);
      return completedOutcome(await this.models.generate(request, this.listenTo(reply, messages), reply.signal));
    } catch (error) {
      if (goesInWords(reply, error)) {
        return this.generate(reply);
      }
      return reply.abortReason === null ? this.failed(reply, error) : abortedOutcome(reply.abortReason);
    }
  }

  /** The prompt; null when the reply is nothing but a shorter conversation, which it has then. */
  private async messagesFor(reply: RunningReply): Promise<ModelMessage[] | null> {
    const { options } = reply.task;
    if (options?.compaction === undefined) {
      return this.prompt.build(reply);
    }
    const turns = await this.prompt.turns(reply);
    if (reply.compaction === null) {
      await this.compactor.compact(reply, turns);
      this.flusher.soon(reply);
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
    const noteToken = (): void => {
      reply.firstTokenMs ??= Math.round(performance.now() - startedAt);
    };
    // From here on no other model is tried. Thousands of running replies must not hold their histories in memory.
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
      onAsked: (asked) => {
        reply.requests.push({ kind: 'reply', asked, at: this.clock.now(), usage: null, promptEstimate: null });
        reply.isAsked = true;
        reply.showAskedAgain();
      },
      onFailed: () => (reply.isAsked = false),
      onRetry: () => reply.showRefusal(),
      ...(reply.task.options !== null && {
        onToolCall: (_index: number, { id, name }: { id: string; name: string }) => {
          begin();
          reply.callTool(id, name, reply.task.options?.tools.find((tool) => tool.name === name)?.tool);
          this.flusher.grown(reply, name);
        },
        onToolArguments: (index: number, text: string) => {
          reply.addArguments(index, text);
          this.flusher.grown(reply, text);
        },
      }),
    };
  }
}

/**
 * Whether the models refused nothing but what earlier messages need, such as pictures from before the agent got another
 * model. Then they are asked once more, and told it in words: else the conversation could never go on.
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
