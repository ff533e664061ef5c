import type { CompletionFinishReason, CompletionListener } from '../language-model-provider';
import { ContentRefusedError, ProviderError, TOOL_CALL } from '../llm.errors';
import { ThoughtSplitter } from './thought-splitter';
import { WellFormedText } from './well-formed-text';

/** Passes on what a model says and thinks, each well-formed and apart from the other, and judges a reply without a word. */
export class ReplyEmitter {
  /** Whether the reply has any text. */
  hasText = false;
  /** Whether the model wanted to call a tool. */
  callsTool = false;

  private readonly reply: WellFormedText;
  private readonly thoughts: WellFormedText;
  private readonly splitter: ThoughtSplitter;

  constructor(private readonly listener: CompletionListener) {
    this.reply = new WellFormedText((text) => {
      this.hasText = true;
      listener.onText(text);
    });
    this.thoughts = new WellFormedText((text) => this.think(text));
    this.splitter = new ThoughtSplitter(
      (text) => this.thoughts.add(text),
      (text) => this.reply.add(text),
    );
  }

  text(text: string): void {
    if (text !== '') {
      this.splitter.add(text);
      if (this.splitter.isHolding) {
        this.activity();
      }
    }
  }

  reasoning(text: string): void {
    if (text !== '') {
      this.thoughts.add(text);
    }
  }

  /** The model works without anything to show: see `CompletionListener.onActivity`. */
  activity(): void {
    this.listener.onActivity?.();
  }

  /**
   * The reply has ended; passes on what was held back.
   *
   * @throws ContentRefusedError where the provider's filter left nothing of it.
   * @throws ProviderError where the model only wanted to call a tool.
   */
  end(finishReason: CompletionFinishReason | null): void {
    this.splitter.end();
    this.thoughts.end();
    this.reply.end();
    if (this.hasText) {
      return;
    }
    if (finishReason === 'content_filter') {
      throw new ContentRefusedError({}, { cause: new Error('The reply was filtered as a whole.') });
    }
    if (this.callsTool) {
      throw new ProviderError({ reason: TOOL_CALL }, { cause: new Error('The reply is nothing but a tool call.') });
    }
  }

  private think(text: string): void {
    if (this.listener.onReasoning === undefined) {
      this.activity();
    } else {
      this.listener.onReasoning(text);
    }
  }
}
