import { setTimeout } from 'node:timers/promises';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
} from '../language-model-provider';
import { GenerationAbortedError } from '../llm.errors';
import type { TokenCounter } from '../token-counter';
import { demoReply } from './demo-replies';

/** Pause between two words, in milliseconds: enough to see that the reply is streamed. */
const PACE = 2;

/** Answers without a network, so that the service can be tried before a model is configured; says so in its reply. */
export class DemoProvider extends LanguageModelProvider {
  readonly isConfigured = true;
  readonly defaultModel = 'demo';

  /** @param name by which agents know it */
  constructor(
    private readonly tokenCounter: TokenCounter,
    readonly name = 'demo',
  ) {
    super();
  }

  async complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult> {
    const message = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const reply = demoReply(message, request.language);
    // Counted while the reply is spoken, and before it, because the caller may let go of the messages meanwhile.
    const counts = Promise.all([this.tokenCounter.countConversation(request.messages), this.tokenCounter.count(reply)]);
    await speak(reply.match(/\s*\S+/g) ?? [], listener, signal);
    const [prompt_tokens, completion_tokens] = await counts;
    return {
      finishReason: 'stop',
      usage: { prompt_tokens, completion_tokens, cached_tokens: 0, reasoning_tokens: 0 },
      model: this.defaultModel,
    };
  }
}

/** Passes on one word after another; resolves after the last. */
async function speak(words: readonly string[], listener: CompletionListener, signal: AbortSignal): Promise<void> {
  try {
    for (const word of words) {
      await setTimeout(PACE, undefined, { signal });
      listener.onText(word);
    }
  } catch (error) {
    throw signal.aborted ? new GenerationAbortedError() : error;
  }
}
