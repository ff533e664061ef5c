import { toStorableText } from '../storable-text';

/**
 * Some servers cut between the halves of a surrogate pair; the halves meet again here. What cannot be stored is replaced
 * before anybody sees it, so that what is streamed is what is stored.
 */
export class WellFormedText {
  private heldHalf = '';

  /** @param pass takes text that is never empty */
  constructor(private readonly pass: (text: string) => void) {}

  add(text: string): void {
    let whole = this.heldHalf + text;
    const lastUnit = whole.charCodeAt(whole.length - 1);
    this.heldHalf = '';
    if (lastUnit >= 0xd800 && lastUnit <= 0xdbff) {
      this.heldHalf = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.passOn(whole);
  }

  /** Passes on a half that stayed alone at the end. */
  end(): void {
    this.passOn(this.heldHalf);
    this.heldHalf = '';
  }

  private passOn(text: string): void {
    if (text !== '') {
      this.pass(toStorableText(text));
    }
  }
}
