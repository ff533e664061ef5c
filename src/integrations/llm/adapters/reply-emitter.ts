import { randomUUID } from 'node:crypto';
import { isFirstHalf } from '../../../common/text/surrogate-pairs';
import type { CompletionFinishReason, CompletionListener } from '../port/language-model-provider';
import { ContentRefusedError, ProviderError, TOOL_CALL } from '../port/llm.errors';
import { toStorableText } from '../port/storable-text';
import { ThoughtSplitter } from './thought-splitter';

/**
 * Some servers split a text inside a surrogate pair; this class joins the halves again. It also replaces characters
 * that the database cannot store, so that the streamed text and the stored text are equal.
 */
class WellFormedText {
  private heldHalf = '';

  /** @param pass receives non-empty text */
  constructor(private readonly pass: (text: string) => void) {}

  add(text: string): void {
    let whole = this.heldHalf + text;
    this.heldHalf = '';
    if (isFirstHalf(whole.charCodeAt(whole.length - 1))) {
      this.heldHalf = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.emit(whole);
  }

  /** Passes on a half without its other half. */
  end(): void {
    this.emit(this.heldHalf);
    this.heldHalf = '';
  }

  private emit(text: string): void {
    if (text !== '') {
      this.pass(toStorableText(text));
    }
  }
}

/** Longest name and id of a call, in characters; real ones have a few dozen. */
const LONGEST_NAME = 256;

/** Passes on the calls of one reply, each with a unique id. */
class ToolCallEmitter {
  private readonly calls: EmittedCall[] = [];
  private readonly ids = new Set<string>();

  constructor(private readonly listener: CompletionListener) {}

  get isWanted(): boolean {
    return this.listener.onToolCall !== undefined;
  }

  get count(): number {
    return this.calls.length;
  }

  /**
   * @param id if it is missing or belongs to another call, a new one is generated, because the result must refer to it
   */
  begin(id: string, name: string): EmittedCall {
    const index = this.calls.length;
    const given = toStorableText(id);
    const isUsable = given !== '' && given.length <= LONGEST_NAME && !this.ids.has(given);
    const own = isUsable ? given : `call_${randomUUID().replaceAll('-', '')}`;
    this.ids.add(own);
    this.listener.onToolCall?.(index, { id: own, name: toStorableText(name.slice(0, LONGEST_NAME)) });
    const call = new EmittedCall((text) => this.listener.onToolArguments?.(index, text));
    this.calls.push(call);
    return call;
  }

  /** @param isCut whether the reply ended too early, so that arguments may be missing */
  end(isCut: boolean): void {
    this.calls.forEach((call) => call.end(isCut));
  }
}

/** A call whose arguments still arrive. */
export class EmittedCall {
  private hasArguments = false;
  private hasEnded = false;
  private readonly text: WellFormedText;

  /** @param pass receives non-empty arguments */
  constructor(private readonly pass: (text: string) => void) {
    this.text = new WellFormedText((text) => {
      this.hasArguments = true;
      pass(text);
    });
  }

  add(text: string): void {
    this.text.add(text);
  }

  /** Functions without arguments get an empty object, which some providers omit. */
  end(isCut: boolean): void {
    if (this.hasEnded) {
      return;
    }
    this.hasEnded = true;
    this.text.end();
    if (!this.hasArguments && !isCut) {
      this.pass('{}');
    }
  }
}

/** Passes on text, reasoning and calls, well-formed and separate, and interprets a reply without text. */
export class ReplyEmitter {
  /** Whether the model tried to call a tool although the listener accepts no calls. */
  callsTool = false;
  /** Whether the reply has images or sound, which are not passed on. */
  hasMedia = false;

  private hasText = false;
  private hasThoughts = false;
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
    this.splitter = new ThoughtSplitter({
      onThought: (text) => this.thoughts.add(text),
      onReply: (text) => this.reply.add(text),
      onThoughtEnd: () => listener.onTextWasReasoning?.(),
    });
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

  /** Whether a reader has received a part of the reply. Reasoning does not count. */
  get hasContent(): boolean {
    return this.hasText || this.calls.count > 0;
  }

  /** Whether nothing at all has arrived, not even reasoning. */
  get isEmpty(): boolean {
    return !this.hasContent && !this.hasThoughts && !this.callsTool && !this.splitter.isHolding;
  }

  /** Whether the listener accepts calls. If not, they only count as activity. */
  get takesCalls(): boolean {
    return this.calls.isWanted;
  }

  /** @param id of the provider; empty if it sends none */
  beginCall(id: string, name: string): EmittedCall {
    this.splitter.pause();
    return this.calls.begin(id, name);
  }

  /** The model works but has no output yet: see `CompletionListener.onActivity`. */
  activity(): void {
    this.listener.onActivity?.();
  }

  /** The effective finish reason: some servers send `stop` after a call. */
  finishReason(reason: CompletionFinishReason | null): CompletionFinishReason {
    return this.calls.count > 0 && (reason === null || reason === 'stop') ? 'tool_calls' : (reason ?? 'stop');
  }

  /**
   * The reply has ended: passes on the rest.
   *
   * @throws ContentRefusedError if the provider's filter has removed all text
   * @throws ProviderError if the model only called a tool, and the listener accepts no calls or got none, or if the
   * reply has only images or sound
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
    if (this.hasMedia) {
      throw new ProviderError({}, { cause: new Error('The reply is nothing but images or sound.') });
    }
  }

  private think(text: string): void {
    this.hasThoughts = true;
    if (this.listener.onReasoning === undefined) {
      this.activity();
    } else {
      this.listener.onReasoning(text);
    }
  }
}
