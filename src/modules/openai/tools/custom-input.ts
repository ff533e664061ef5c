/** How the arguments of a custom tool begin when the model writes them as it was told. */
const BEGINNING = /^\s*\{\s*"input"\s*:\s*"/;
/** A part of that: more must come before it is known. */
const PART_OF_BEGINNING = /^\s*(\{\s*("(i(n(p(u(t("\s*(:\s*)?)?)?)?)?)?)?)?)?$/;

/** More white space than this is no beginning. */
const LONGEST_BEGINNING = 256;

const ESCAPE = /^\\(u[0-9a-f]{4}|u[0-9a-f]{0,3}$|[^]|$)/i;
const CUT_ESCAPE = /^\\(u[0-9a-f]{0,3})?$/i;

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The arguments with which models are told, and asked for, the input of a custom tool. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The input in whole arguments. */
export function customInputOf(text: string): string {
  const reader = new CustomInput();
  return reader.add(text) + reader.end();
}

/**
 * Reads the input of a custom tool out of its arguments while a model writes them: `{"input":"…"}`, in pieces of any length.
 * What a model writes otherwise is read at the end: the member `input` of an object, or else everything as it stands.
 */
export class CustomInput {
  private state: 'beginning' | 'text' | 'over' | 'other' = 'beginning';
  /** What is not read yet: an unfinished beginning or escape, half a character, or all of another form. */
  private waiting = '';

  /** @returns what the piece adds to the input; mostly not empty */
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

  /** @returns what is left when no more comes */
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

  /** The first half of a character waits for the second; what no text may have is replaced. */
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
