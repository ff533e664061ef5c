const OPENING = '<think>';
const CLOSING = '</think>';
const QUOTES = '`"\'';
const PARAGRAPH = '\n\n';

/** More white space than this belongs to the reply, because some models write it endlessly, one line feed at a time. */
const LONGEST_HELD = 256;

interface Receiver {
  onThought(text: string): void;
  onReply(text: string): void;
  /** All of the reply so far was reasoning: only its end is marked. */
  onThoughtEnd(): void;
}

/**
 * The position: before the first visible character; in reasoning; after it, where white space is dropped; in a reply
 * that may still turn out to be reasoning; in one that cannot.
 */
type Place = 'beginning' | 'thought' | 'after' | 'unsure' | 'reply';

/**
 * Separates the reply from the reasoning that some models write as `<think>…</think>` at its beginning, in whatever
 * pieces the text arrives. Reasoning without a closing tag lasts to the end. Some servers keep the opening tag in the
 * prompt, so that only the closing one arrives. Then the tag itself is removed, and the text before it that was not
 * passed on is reasoning. All other tags belong to the reply.
 */
export class ThoughtSplitter {
  private place: Place = 'beginning';
  /** Text that may be the beginning of a tag, or white space before one. */
  private held = '';
  /** The last piece of the reply so far. */
  private last = '';

  constructor(private readonly receiver: Receiver) {}

  /** Whether text is held back until more of it arrives. */
  get isHolding(): boolean {
    return this.held !== '';
  }

  add(text: string): void {
    if (this.place === 'reply') {
      this.receiver.onReply(text);
      return;
    }
    const whole = this.held + text;
    this.held = '';
    this.continue(whole);
  }

  /** Something other than text follows: passes on the held text, unless it is only white space. */
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
      this.passThought(held);
    } else if (this.place !== 'after') {
      this.passReply(held);
    }
  }

  private continue(text: string): void {
    switch (this.place) {
      case 'beginning':
        this.begin(text);
        break;
      case 'thought':
        this.think(text);
        break;
      case 'after':
        this.leaveThought(text);
        break;
      default:
        this.doubt(text);
    }
  }

  private begin(text: string): void {
    const visible = text.trimStart();
    if (visible.startsWith(OPENING)) {
      this.place = 'thought';
      this.think(visible.slice(OPENING.length));
    } else if (visible.startsWith(CLOSING)) {
      this.leaveThought(visible.slice(CLOSING.length));
    } else if (text.length <= LONGEST_HELD && [OPENING, CLOSING].some((tag) => tag.startsWith(visible))) {
      this.held = text;
    } else {
      this.place = 'unsure';
      this.doubt(text);
    }
  }

  private think(text: string): void {
    const end = text.indexOf(CLOSING);
    if (end !== -1) {
      this.passThought(text.slice(0, end));
      this.leaveThought(text.slice(end + CLOSING.length));
      return;
    }
    const held = lengthOfTagBegun(text, CLOSING);
    this.held = text.slice(text.length - held);
    this.passThought(text.slice(0, text.length - held));
  }

  /** Blank lines between reasoning and reply belong to neither. */
  private leaveThought(text: string): void {
    this.place = 'after';
    const reply = text.trimStart();
    if (reply !== '') {
      this.place = 'reply';
      this.passReply(reply);
    }
  }

  private doubt(text: string): void {
    // Nearly all pieces have no tag.
    if (!text.includes('<')) {
      this.passReply(text);
      return;
    }
    const end = text.indexOf(CLOSING);
    const begin = text.indexOf(OPENING);
    if (end === -1 && begin === -1) {
      const held = Math.max(lengthOfTagBegun(text, CLOSING), lengthOfTagBegun(text, OPENING));
      this.passReply(text.slice(0, text.length - held));
      this.held = text.slice(text.length - held);
    } else if (end === -1 || (begin !== -1 && begin < end) || this.isQuoted(text, end)) {
      this.place = 'reply';
      this.passReply(text);
    } else {
      this.endDoubt(text.slice(0, end), text.slice(end + CLOSING.length));
    }
  }

  private endDoubt(thought: string, rest: string): void {
    if (this.last === '') {
      this.passThought(thought);
    } else {
      this.passReply(thought + PARAGRAPH);
      this.receiver.onThoughtEnd();
    }
    this.leaveThought(rest);
  }

  private isQuoted(text: string, at: number): boolean {
    const before = at === 0 ? this.last.slice(-1) : text.charAt(at - 1);
    return before !== '' && QUOTES.includes(before);
  }

  private passThought(text: string): void {
    if (text !== '') {
      this.receiver.onThought(text);
    }
  }

  private passReply(text: string): void {
    if (text !== '') {
      this.last = text;
      this.receiver.onReply(text);
    }
  }
}

/** How many of the last characters may be the beginning of the tag. */
function lengthOfTagBegun(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) {
      return length;
    }
  }
  return 0;
}
