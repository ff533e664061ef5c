const OPENING = '<think>';
const CLOSING = '</think>';

type Place = 'beginning' | 'thought' | 'after' | 'reply';

/**
 * Tells the thoughts that some models write as `<think>…</think>` at the beginning of their reply from the reply itself,
 * wherever the pieces are cut. Thoughts that never end are thoughts to the end. Tags anywhere else are part of the reply;
 * so is a closing tag alone, because what was before it has been passed on already.
 */
export class ThoughtSplitter {
  private place: Place = 'beginning';
  /** What may be the beginning of a tag, or is white space before one. */
  private held = '';

  constructor(
    private readonly onThought: (text: string) => void,
    private readonly onReply: (text: string) => void,
  ) {}

  /** Whether text is held back until more of it tells what it is. */
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

  /** The blank lines between thoughts and reply belong to neither. */
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

/** How much of the end of a text may become the closing tag. */
function lengthOfTagBegun(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSING.slice(0, length))) {
      return length;
    }
  }
  return 0;
}
