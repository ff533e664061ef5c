import { setTimeout } from 'node:timers/promises';
import type { TokenCounter } from '../counting/token-counter';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
  type ModelParameters,
} from '../port/language-model-provider';
import { GenerationAbortedError } from '../port/llm.errors';
import type { ModelFeature } from '../port/message-parts';
import { demoReply } from './demo-replies';

/** Pause between two words: long enough to see that the reply is streamed. */
const WORD_MILLISECONDS = 2;

/** Replies without a network, so that people can try the service before they configure a model. The reply says so. */
export class DemoProvider extends LanguageModelProvider {
  readonly isConfigured = true;
  readonly defaultModel = 'demo';
  /** The demo calls no tools and sees no files. */
  override readonly features: ReadonlySet<ModelFeature> = new Set();
  override readonly parameters: ReadonlySet<keyof ModelParameters> = new Set();

  /**
   * @param name the name that agents use
   * @param hasConsole whether the service has its console
   */
  constructor(
    private readonly tokenCounter: TokenCounter,
    readonly name = 'demo',
    private readonly hasConsole = true,
  ) {
    super();
  }

  async complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult> {
    const message = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const reply = demoReply(message, request.language, this.hasConsole);
    // Counting runs concurrently with the reply. It starts first, because the caller may release the messages during
    // the reply.
    const counts = Promise.all([this.tokenCounter.countConversation(request.messages), this.tokenCounter.count(reply)]);
    await speak(reply.match(/\s*\S+/g) ?? [], listener, signal);
    const [prompt_tokens, completion_tokens] = await counts;
    return {
      finishReason: 'stop',
      usage: { prompt_tokens, completion_tokens, cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      model: this.defaultModel,
    };
  }
}

/** Passes on one word after another. Resolves after the last. */
async function speak(words: readonly string[], listener: CompletionListener, signal: AbortSignal): Promise<void> {
  try {
    for (const word of words) {
      await setTimeout(WORD_MILLISECONDS, undefined, { signal });
      listener.onText(word);
    }
  } catch (error) {
    throw signal.aborted ? new GenerationAbortedError() : error;
  }
}
