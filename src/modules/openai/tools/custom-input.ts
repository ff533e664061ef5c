/** The start of a custom tool's arguments, if the model follows the schema. */
const BEGINNING = /^\s*\{\s*"input"\s*:\s*"/;
/** A prefix of that start, which needs more text to decide. */
const PART_OF_BEGINNING = /^\s*(\{\s*("(i(n(p(u(t("\s*(:\s*)?)?)?)?)?)?)?)?)?$/;

/** The maximum length of the start, including white space. */
const LONGEST_BEGINNING = 256;

const ESCAPE = /^\\(u[0-9a-f]{4}|u[0-9a-f]{0,3}$|[^]|$)/i;
const CUT_ESCAPE = /^\\(u[0-9a-f]{0,3})?$/i;

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Wraps the input of a custom tool as arguments for the model. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The input in complete arguments. */
export function customInputOf(text: string): string {
  const reader = new CustomInput();
  return reader.add(text) + reader.end();
}

/**
 * Reads the input of a custom tool from its arguments while a model writes them: `{"input":"…"}`, in pieces of any
 * length. Arguments in another form are read at the end: the member `input` of an object, or else the whole text.
 */
export class CustomInput {
  private state: 'beginning' | 'text' | 'over' | 'other' = 'beginning';
  /** The unread text: an incomplete start or escape, half a character, or arguments in another form. */
  private waiting = '';

  /** @returns the input in this piece; usually not empty */
  add(piece: string): string {
    if (this.state === 'over') {
      return '';
    }
    this.waiting += piece;
    if (this.state === 'beginning') {
      this.begin();
    }
    return this.state === 'text' ? this.read(false) : '';
  }

  /** @returns the remaining input at the end of the arguments */
  end(): string {
    const { state, waiting } = this;
    this.state = 'over';
    this.waiting = '';
    if (state === 'text') {
      this.waiting = waiting;
      return this.read(true);
    }
    return state === 'over' ? '' : inputIn(waiting);
  }

  private begin(): void {
    const [beginning] = BEGINNING.exec(this.waiting) ?? [];
    if (beginning !== undefined) {
      this.state = 'text';
      this.waiting = this.waiting.slice(beginning.length);
    } else if (this.waiting.length > LONGEST_BEGINNING || !PART_OF_BEGINNING.test(this.waiting)) {
      this.state = 'other';
    }
  }

  private read(isEnd: boolean): string {
    const text = this.waiting;
    let input = '';
    let index = 0;
    while (index < text.length) {
      const end = nextSpecial(text, index);
      input += text.slice(index, end);
      index = end;
      if (text[index] === '"') {
        this.state = 'over';
        index = text.length;
      } else if (text[index] === '\\') {
        const [escape] = ESCAPE.exec(text.slice(index, index + 6)) ?? [''];
        const isCut = index + escape.length === text.length && CUT_ESCAPE.test(escape);
        if (isCut && !isEnd) {
          break;
        }
        input += unescaped(escape);
        index += escape.length;
      }
    }
    this.waiting = text.slice(index);
    return this.wellFormed(input, isEnd || this.state === 'over');
  }

  /** A leading surrogate waits for the trailing one. Characters that no text may contain are replaced. */
  private wellFormed(input: string, isWhole: boolean): string {
    const isHalf = !isWhole && /[\ud800-\udbff]$/.test(input);
    if (isHalf) {
      const escaped = `\\u${input.charCodeAt(input.length - 1).toString(16)}`;
      this.waiting = escaped + this.waiting;
    }
    return (isHalf ? input.slice(0, -1) : input).toWellFormed().replaceAll('\0', '\ufffd');
  }
}

function nextSpecial(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22 || unit === 0x5c) {
      return index;
    }
  }
  return text.length;
}

function unescaped(escape: string): string {
  const letter = escape[1] ?? '';
  return letter === 'u' && escape.length === 6
    ? String.fromCharCode(Number.parseInt(escape.slice(2), 16))
    : (ESCAPES[letter] ?? escape.slice(1));
}

function inputIn(text: string): string {
  try {
    const { input } = JSON.parse(text) as { input?: unknown };
    return typeof input === 'string' ? input.toWellFormed().replaceAll('\0', '\ufffd') : text;
  } catch {
    return text;
  }
}
