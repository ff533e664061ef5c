import { randomUUID } from 'node:crypto';
import { parse } from 'node:querystring';
import { InvalidJsonError, PayloadTooLargeError } from '../../errors/common.errors';
import { ValidationFailedError } from '../../errors/validation.errors';
import { requireWellFormed } from '../../validation/well-formed';
import { ByteList, ContentBuffer } from './body-memory';
import { type BodyRules, LARGE_BODY } from './body-rules.decorator';
import { type FileCut, JsonScan, LONGEST_TEXT } from './json-scan';

/** The fields of a form while it is received. */
export class FormBody {
  private readonly bytes = new ByteList();

  constructor(private readonly rules: BodyRules) {}

  /** @throws PayloadTooLargeError */
  add(part: Buffer): void {
    this.bytes.add(part);
    if (this.bytes.length > this.rules.limit) {
      throw new PayloadTooLargeError();
    }
  }

  /** A repeated field becomes a list, which no field accepts: RFC 6749 §3.2 forbids repeated fields. */
  parse(): unknown {
    const fields = { ...parse(this.bytes.join().toString()) };
    requireWellFormed(fields);
    return fields;
  }
}

/** Drops a byte order mark at the beginning, as RFC 8259 §8.1 allows. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes parts of a text. */
const utf8Part = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Replaces the content of a file while the rest is parsed. It is random, so that no client can know it. */
const PLACEHOLDER = randomUUID();

/** The content of a file: its position, and the text before it in the rest of the body. */
interface Content {
  from: number;
  to: number;
  head: string;
  isBase64: boolean;
}

/** A JSON body that the route passes on unchanged, while it is received. */
export class ExactBody {
  private readonly scan: JsonScan;
  private readonly parts = new ByteList();
  private joined: Buffer | null = null;

  constructor(private readonly rules: BodyRules) {
    const { mostValues } = rules;
    this.scan = new JsonScan({ mostValues, mostMembers: mostValues, takesFiles: false, longestText: Infinity });
  }

  get exactBytes(): Buffer {
    this.joined ??= this.parts.join();
    return this.joined;
  }

  /** @throws PayloadTooLargeError, ValidationFailedError */
  add(part: Buffer): void {
    this.parts.add(part);
    if (this.parts.length > this.rules.limit) {
      throw new PayloadTooLargeError();
    }
    const fault = this.scan.scan(part);
    if (fault !== null) {
      throw new ValidationFailedError([fault]);
    }
  }

  /** @throws InvalidJsonError */
  parse(): unknown {
    return parseText(() => utf8.decode(this.exactBytes));
  }
}

/**
 * A JSON body while it is received. Each part is scanned, so that the service never stores, parses or waits for a body
 * that it will refuse. The contents of files are cut out before the rest is parsed, and restored as strings outside the
 * heap. Parsing and validating them would cost ten times as much.
 */
export class JsonBody {
  private readonly scan: JsonScan;
  private readonly text = new ByteList();
  private readonly bytes = new ContentBuffer();
  private readonly contents: Content[] = [];
  private length = 0;

  constructor(private readonly rules: BodyRules) {
    this.scan = new JsonScan(rules);
  }

  /** @throws PayloadTooLargeError, ValidationFailedError */
  add(part: Buffer): void {
    const fault = this.scan.scan(part);
    this.length += part.length;
    if (this.length - this.scan.fileBytes > this.rules.limit) {
      throw new PayloadTooLargeError();
    }
    if (fault !== null) {
      // A longer text may be part of a body that is too large and has not fully arrived. Both cases have the same
      // error.
      throw fault.reason === 'too_long' && this.rules.limit <= LARGE_BODY
        ? new PayloadTooLargeError()
        : new ValidationFailedError([fault]);
    }
    let from = 0;
    for (const cut of this.scan.cuts) {
      this.text.add(part.subarray(from, cut.from));
      this.takeContent(part.subarray(cut.from, cut.to), cut);
      from = cut.to;
    }
    this.text.add(from === 0 ? part : part.subarray(from));
  }

  /** @throws InvalidJsonError, ValidationFailedError */
  parse(): unknown {
    const body = parseText(() => utf8.decode(this.text.join()));
    requireWellFormed(body);
    return this.contents.length === 0 ? body : putBack(body, this.readContents());
  }

  /** Call it after the body was parsed or refused. */
  release(): void {
    this.bytes.release();
  }

  private takeContent(part: Buffer, { head, isFirst, isBase64 }: FileCut): void {
    if (isFirst) {
      this.text.add(Buffer.from(placeholder(this.contents.length)));
      this.contents.push({ from: this.bytes.length, to: 0, head, isBase64 });
      this.bytes.add(Buffer.from(head));
    }
    this.bytes.add(part);
    Object.assign(this.contents.at(-1) as Content, { to: this.bytes.length, isBase64 });
  }

  /** The contents by their placeholders. */
  private readContents(): ReadonlyMap<string, string> {
    return new Map(
      this.contents.map(({ from, to, head, isBase64 }, index) => [
        `${head}${placeholder(index)}`,
        toText(this.bytes.slice(from, to), isBase64),
      ]),
    );
  }
}

function placeholder(index: number): string {
  return `${PLACEHOLDER}-${index}`;
}

/**
 * Content of ordinary length is read as JSON. Longer content must be base64, which becomes a file, or it is refused.
 */
function toText(content: Buffer, isBase64: boolean): string {
  if (isBase64 && content.length > LONGEST_TEXT) {
    return content.toString('latin1');
  }
  const text = parseText(() => `"${utf8Part.decode(content)}"`) as string;
  requireWellFormed(text);
  return text;
}

/** @throws InvalidJsonError */
function parseText(decode: () => string): unknown {
  try {
    return JSON.parse(decode());
  } catch (cause) {
    throw new InvalidJsonError({}, { cause });
  }
}

/** @param texts by their placeholders */
function putBack(value: unknown, texts: ReadonlyMap<unknown, string>): unknown {
  if (typeof value === 'object' && value !== null) {
    const container = value as Record<string, unknown>;
    for (const [key, member] of Object.entries(container)) {
      const whole = putBack(member, texts);
      if (whole !== member) {
        container[key] = whole;
      }
    }
  }
  return texts.get(value) ?? value;
}
