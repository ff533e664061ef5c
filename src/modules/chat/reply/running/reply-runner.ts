import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../../../common/lifecycle';
import { LanguageModels } from '../../../../integrations/llm/language-models';
import type { CompletionListener, ModelMessage } from '../../../../integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError, ModelProviderError } from '../../../../integrations/llm/port/llm.errors';
import type { ModelFeature } from '../../../../integrations/llm/port/message-parts';
import { compactedOutcome, ReplyCompactor } from '../compaction/reply-compactor';
import type { NewMessage } from '../conversation-history';
import { FailureLog } from '../ending/failure-log';
import { ReplyFinisher } from '../ending/reply-finisher';
import { PromptBuilder } from '../prompt-builder';
import {
  abortedOutcome,
  completedOutcome,
  failedOutcome,
  GenerationOutcome,
  ReplyRegistry,
  type RunningReply,
  type Turn,
} from '../running-reply';
import { ReplyTitler } from '../title/reply-titler';
import { generationRequest } from './generation-request';
import { ReplyFlusher } from './reply-flusher';

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
    private readonly models: LanguageModels,
    private readonly registry: ReplyRegistry,
    private readonly prompt: PromptBuilder,
    private readonly flusher: ReplyFlusher,
    private readonly finisher: ReplyFinisher,
    private readonly titler: ReplyTitler,
    private readonly failures: FailureLog,
    private readonly compactor: ReplyCompactor,
  ) {}

  /** @throws ServiceUnavailableError once the process is shutting down. */
  assertTakesReplies(): void {
    this.lifecycle.assertAcceptsWork();
  }

  /**
   * Starts a reply whose rows are stored, and returns at once.
   *
   * @param question the message to answer; undefined when it is to be read
   * @param message null unless it is a new one at the end of its conversation
   */
  start(reply: RunningReply, question: Turn | undefined, message: NewMessage | null): void {
    this.flusher.watch();
    void this.run(reply, question, message);
  }

  private async run(reply: RunningReply, question: Turn | undefined, message: NewMessage | null): Promise<void> {
    const outcome = await this.generate(reply, question, message);
    const end = await this.finisher.finishSurely(reply, outcome);
    // Before the reply counts as ended: a process that shuts down then waits for the title too.
    this.titler.afterReply(reply, end);
    this.registry.remove(reply);
    reply.finish(end);
  }

  private async generate(
    reply: RunningReply,
    question: Turn | undefined,
    message: NewMessage | null,
  ): Promise<GenerationOutcome> {
    try {
      const messages = await this.messagesFor(reply, question, message);
      if (messages === null) {
        return compactedOutcome(reply);
      }
      const request = generationRequest(reply.task, messages);
      return completedOutcome(await this.models.generate(request, this.listenTo(reply, messages), reply.signal));
    } catch (error) {
      if (goesInWords(reply, error)) {
        return this.generate(reply, question, message);
      }
      return reply.abortReason === null ? this.failed(reply, error) : abortedOutcome(reply.abortReason);
    }
  }

  /** The prompt; null when the reply is nothing but a shorter conversation, which it has then. */
  private async messagesFor(
    reply: RunningReply,
    question: Turn | undefined,
    message: NewMessage | null,
  ): Promise<ModelMessage[] | null> {
    const { wishes } = reply.task;
    if (wishes?.compaction === undefined) {
      return this.prompt.build(reply, question, message);
    }
    const turns = await this.prompt.turns(reply, question, message);
    if (reply.compaction === null) {
      await this.compactor.compact(reply, turns);
      this.flusher.soon(reply);
    }
    return wishes.compaction === 'only' ? null : this.prompt.toMessages(reply, turns);
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
        if (reply.text === '') {
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
      onAsked: () => {
        reply.isAsked = true;
        reply.showAskedAgain();
      },
      onFailed: () => (reply.isAsked = false),
      onRetry: () => reply.showRefusal(),
      ...(reply.task.wishes !== null && {
        onToolCall: (_index: number, { id, name }: { id: string; name: string }) => {
          begin();
          reply.callTool(id, name, reply.task.wishes?.tools.find((tool) => tool.name === name)?.tool);
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
