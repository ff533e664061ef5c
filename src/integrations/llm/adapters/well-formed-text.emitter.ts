import type { CompletionListener } from '../language-model-provider';
import { toStorableText } from '../storable-text';

/**
 * Some servers cut between the halves of a surrogate pair; the halves meet again here. What cannot be stored is replaced
 * before anybody sees it, so that what is streamed is what is stored.
 */
export class WellFormedTextEmitter {
  private heldHalf = '';

  constructor(private readonly listener: CompletionListener) {}

  emit(text: string): void {
    let whole = this.heldHalf + text;
    const lastUnit = whole.charCodeAt(whole.length - 1);
    this.heldHalf = '';
    if (lastUnit >= 0xd800 && lastUnit <= 0xdbff) {
      this.heldHalf = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.pass(whole);
  }

  /** Passes on what the model thinks. */
  reason(text: string): void {
    this.listener.onReasoning?.(toStorableText(text));
  }

  /** The model works without text: see `CompletionListener.onActivity`. */
  activity(): void {
    this.listener.onActivity?.();
  }

  /** Passes on a half that stayed alone at the end. */
  end(): void {
    this.pass(this.heldHalf);
    this.heldHalf = '';
  }

  private pass(text: string): void {
    if (text !== '') {
      this.listener.onText(toStorableText(text));
    }
  }
}
