import { MASK_BEGINNING } from './mask-text';
import type { Masks } from './masks';

/** Replaces masks by their values in a text that arrives in pieces. A mask that is split waits for its end. */
export class MaskRestorer {
  private held = '';

  constructor(private readonly masks: Masks) {}

  /** @returns what can be shown so far */
  read(piece: string): string {
    const text = this.held + piece;
    this.held = text.includes('[') ? (MASK_BEGINNING.exec(text.slice(text.lastIndexOf('[')))?.[0] ?? '') : '';
    return this.masks.restore(text.slice(0, text.length - this.held.length), 'answer');
  }

  /** The held text, which is no mask because nothing follows. */
  end(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}
