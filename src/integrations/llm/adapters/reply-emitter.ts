import { type CompletionFinishReason, type CompletionListener } from '../port/language-model-provider';
import { ContentRefusedError, ProviderError, TOOL_CALL } from '../port/llm.errors';
import { type EmittedCall, ToolCallEmitter } from './tool-call-emitter';
import { WellFormedText } from './well-formed-text';

/** Passes on text, reasoning and calls, well-formed and separate, and decides what a reply without text means. */
export class ReplyEmitter {
  /** Whether the model wanted to call a tool, and the listener takes no calls. */
  callsTool = false;

  private hasText = false;
  private readonly calls: ToolCallEmitter;
  private readonly reply: WellFormedText;
  private readonly thoughts: WellFormedText;
  private readonly splitter: ThoughtSplitter;

  constructor(private readonly listener: CompletionListener) {
    this.calls = new ToolCallEmitter(listener);
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

  /** Whether a reader has seen a part of the reply; reasoning is none. */
  get hasContent(): boolean {
    return this.hasText || this.calls.count > 0;
  }

  /** Whether the listener takes calls. If not, they are only a sign of life. */
  get takesCalls(): boolean {
    return this.calls.isWanted;
  }

  /** @param id the provider's; empty when it gives none */
  beginCall(id: string, name: string): EmittedCall {
    this.splitter.pause();
    return this.calls.begin(id, name);
  }

  /** The model works but shows nothing yet: see `CompletionListener.onActivity`. */
  activity(): void {
    this.listener.onActivity?.();
  }

  /** What the end of the reply means: some servers say `stop` after a call. */
  finishReason(reason: CompletionFinishReason | null): CompletionFinishReason {
    return this.calls.count > 0 && (reason === null || reason === 'stop') ? 'tool_calls' : (reason ?? 'stop');
  }

  /**
   * The reply has ended: passes on the rest.
   *
   * @throws ContentRefusedError when the provider's filter has removed all text.
   * @throws ProviderError when the model only called a tool, and the listener takes no calls or got none.
   */
  end(finishReason: CompletionFinishReason | null): void {
    this.splitter.end();
    this.thoughts.end();
    this.reply.end();
    this.calls.end(finishReason === 'length' || finishReason === 'content_filter');
    if (this.hasContent) {
      return;
    }
    if (finishReason === 'content_filter') {
      throw new ContentRefusedError({}, { cause: new Error('The reply was filtered as a whole.') });
    }
    if (this.callsTool && this.takesCalls) {
      throw new ProviderError(
        {},
        { cause: new Error('The reply ends for a call that it does not have.'), retryable: true },
      );
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

const OPENING = '<think>';
const CLOSING = '</think>';

type Place = 'beginning' | 'thought' | 'after' | 'reply';

/**
 * Separates the reasoning that some models write as `<think>…</think>` at the beginning of their reply from the reply, in
 * whatever pieces the text arrives. Reasoning without a closing tag lasts to the end. Tags elsewhere belong to the reply; so
 * does a closing tag alone, because the text before it has already been passed on.
 */
export class ThoughtSplitter {
  private place: Place = 'beginning';
  /** Text that may be the beginning of a tag, or white space before one. */
  private held = '';

  constructor(
    private readonly onThought: (text: string) => void,
    private readonly onReply: (text: string) => void,
  ) {}

  /** Whether text waits until more of it shows what it is. */
  get isHolding(): boolean {
    return this.held !== '';
  }

  add(text: string): void {
    if (this.place === 'reply') {
      this.onReply(text);
      return;
    }
    const whole = this.held + text;
    this.held = '';
    this.continue(whole);
  }

  /** Something else follows: passes on what waits. White space alone is not worth it. */
  pause(): void {
    if (this.held.trim() === '') {
      this.held = '';
    }
    this.end();
  }

  end(): void {
    const { held } = this;
    this.held = '';
    if (this.place === 'thought') {
      pass(held, this.onThought);
    } else if (this.place !== 'after') {
      pass(held, this.onReply);
    }
  }

  private continue(text: string): void {
    if (this.place === 'beginning') {
      this.begin(text);
    } else if (this.place === 'thought') {
      this.think(text);
    } else {
      this.leaveThought(text);
    }
  }

  private begin(text: string): void {
    const visible = text.trimStart();
    if (visible.startsWith(OPENING)) {
      this.place = 'thought';
      this.think(visible.slice(OPENING.length));
    } else if (OPENING.startsWith(visible)) {
      this.held = text;
    } else {
      this.place = 'reply';
      this.onReply(text);
    }
  }

  private think(text: string): void {
    const end = text.indexOf(CLOSING);
    if (end !== -1) {
      pass(text.slice(0, end), this.onThought);
      this.place = 'after';
      this.leaveThought(text.slice(end + CLOSING.length));
      return;
    }
    const held = lengthOfTagBegun(text);
    this.held = text.slice(text.length - held);
    pass(text.slice(0, text.length - held), this.onThought);
  }

  /** Blank lines between reasoning and reply belong to neither. */
  private leaveThought(text: string): void {
    const reply = text.trimStart();
    if (reply !== '') {
      this.place = 'reply';
      this.onReply(reply);
    }
  }
}

function pass(text: string, to: (text: string) => void): void {
  if (text !== '') {
    to(text);
  }
}

/** How many of the last characters may be the beginning of the closing tag. */
function lengthOfTagBegun(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSING.slice(0, length))) {
      return length;
    }
  }
  return 0;
}
