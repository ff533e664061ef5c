import { isFirstHalf } from '../../../common/text/surrogate-pairs';
import { toStorableText } from '../port/storable-text';

/**
 * Some servers cut a text between the halves of a surrogate pair; this class joins them again. It also replaces what the
 * database cannot store, so that the streamed text and the stored text are equal.
 */
export class WellFormedText {
  private heldHalf = '';

  /** @param pass receives text that is never empty */
  constructor(private readonly pass: (text: string) => void) {}

  add(text: string): void {
    let whole = this.heldHalf + text;
    this.heldHalf = '';
    if (isFirstHalf(whole.charCodeAt(whole.length - 1))) {
      this.heldHalf = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    this.passOn(whole);
  }

  /** Passes on a half without its other half. */
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
