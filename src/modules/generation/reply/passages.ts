import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { Passage } from '../../../integrations/llm/port/message-parts';
import { searchesKnowledge } from '../../tool/tool.api';
import type { ToolCallEntity } from '../actions/tool-call.entity';
import type { StoredPart } from './stored-parts';

/** The text that replaces a passage that was deleted, or that the user may no longer read. */
export const REMOVED = '[removed]';

const MARK_START = '[[cite:';

/** A text's own marks are sent in this form, so that models cannot take them for marks of the service. */
const ESCAPED_START = '[ [cite:';

const LONGEST_QUOTE = 300;

/** A place in a reply that uses a passage. If the passage was removed, only the first three members are known. */
export interface Citation {
  /** The number of the passage in its reply. */
  number: number;
  /** Where the mark was in the text, in UTF-16 code units. */
  index: number;
  filename: string;
  passage: CitedPassage | null;
}

interface CitedPassage extends Pick<
  Passage,
  'file_id' | 'store_id' | 'media_type' | 'heading' | 'page' | 'start' | 'end' | 'score'
> {
  /** The beginning of its text. */
  quote: string;
}

/** The citation of a passage at this place in the text. */
export function citationOf(passage: Passage, index: number): Citation {
  const { number, filename, text } = passage;
  return {
    number,
    index,
    filename,
    passage: typeof text === 'string' ? { ...passage, quote: beginningOf(text, LONGEST_QUOTE) } : null,
  };
}

/** The citations of a stored reply, in the order of its text. The passages in its parts have their texts. */
export function citationsOf(parts: readonly StoredPart[] | null): Citation[] {
  const passages = new ReplyPassages();
  const citations: Citation[] = [];
  let offset = 0;
  for (const part of parts ?? []) {
    if (part.type === 'tool_result') {
      passages.add(part.passages ?? []);
    } else if (part.type === 'text') {
      for (const { number, index, filename } of part.citations ?? []) {
        const passage = passages.find(number);
        const copied = filename === undefined ? [] : [{ number, index: offset + index, filename, passage: null }];
        citations.push(...(passage ? [citationOf(passage, offset + index)] : copied));
      }
      offset += part.text.length;
    }
  }
  return citations;
}

/**
 * Passages as a model receives them, each with its mark, name and place. Names and texts are data: their own marks are
 * escaped.
 *
 * @param hasMarks whether the model may cite them
 */
export function passagesText(passages: readonly Passage[], hasMarks: boolean): string {
  return passages.length === 0
    ? 'No passage matches.'
    : passages.map((passage) => passageText(passage, hasMarks)).join('\n\n');
}

function passageText({ number, filename, page, heading, text }: Passage, hasMarks: boolean): string {
  const place = [filename, ...(page === null ? [] : [`page ${page}`]), ...(heading === null ? [] : [heading])];
  const head = escaped(place.join(', ').replace(INVISIBLE, ''));
  return `${hasMarks ? `${MARK_START}${number}]] ` : ''}${head}\n${escaped(text ?? REMOVED)}`;
}

function escaped(text: string): string {
  return text.replaceAll(MARK_START, ESCAPED_START);
}

/** The stored result of a search of documents. */
export interface StoredPassages {
  passages: readonly Passage[];
  /** Whether an administrator vouches for all collections that were searched. */
  trusted: boolean;
}

/** The passages in the result of a call. Null: the call searched no documents. */
export function storedPassages({
  source,
  name,
  result,
}: Pick<ToolCallEntity, 'source' | 'name' | 'result'>): StoredPassages | null {
  return source === 'knowledge' && searchesKnowledge({ name }) && result !== null
    ? (JSON.parse(result) as StoredPassages)
    : null;
}

/** The place of a passage, which identifies it within a reply. */
type PassagePlace = Pick<Passage, 'store_id' | 'file_id' | 'start' | 'end'>;

/** The passages that a reply was given, with their numbers. A passage that is found twice keeps its number. */
export class ReplyPassages {
  private readonly byNumber = new Map<number, Passage>();
  private readonly numbers = new Map<string, number>();
  private last = 0;

  get isEmpty(): boolean {
    return this.byNumber.size === 0;
  }

  /** The number of a passage, from 1. */
  numberOf(place: PassagePlace): number {
    const key = keyOf(place);
    const number = this.numbers.get(key) ?? ++this.last;
    this.numbers.set(key, number);
    return number;
  }

  /** Adds passages of a result that the model receives. */
  add(passages: readonly Passage[]): void {
    for (const passage of passages) {
      this.byNumber.set(passage.number, passage);
      this.numbers.set(keyOf(passage), passage.number);
      this.last = Math.max(this.last, passage.number);
    }
  }

  find(number: number): Passage | undefined {
    return this.byNumber.get(number);
  }
}

function keyOf({ store_id, file_id, start, end }: PassagePlace): string {
  return `${store_id} ${file_id} ${start} ${end}`;
}
