import { unicodeForm } from '../../../common/text/folding';
import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { DocumentFailure } from '../document-failure';

/** Most UTF-16 units of the text of a file. */
const MOST_TEXT = 20_000_000;

/** Most pages, slides or sheets of a file. */
export const MOST_PAGES = 5_000;

/** Most headings of a file that are remembered. A file has at most so many passages. */
const MOST_HEADINGS = 50_000;

/** Most UTF-16 units of all headings that are remembered: they are stored as one value, which the database limits. */
const MOST_HEADING_TEXT = 2_000_000;

/** Longest heading, in UTF-16 units. */
const LONGEST_HEADING = 200;

/** A heading of a text. */
export interface TextHeading {
  /** Where it starts in the text, in UTF-16 units. */
  start: number;
  /** From 1, the highest. */
  level: number;
  title: string;
}

/** Where a page, slide or sheet starts. */
export interface PageStart {
  /** From 1. */
  page: number;
  start: number;
}

/** What a file says. All offsets are UTF-16 units of `text`. */
export interface DocumentText {
  text: string;
  headings: TextHeading[];
  pages: PageStart[];
}

/** Collects the text of a document in its order. */
export class DocumentWriter {
  private readonly parts: string[] = [];
  private readonly headings: TextHeading[] = [];
  private readonly pages: PageStart[] = [];
  private length = 0;
  private headingText = 0;

  /** Adds a paragraph, after a blank line. */
  paragraph(text: string): void {
    this.add(cleanText(text).trim(), '\n\n');
  }

  /** Adds a line directly below the last one. */
  line(text: string): void {
    this.add(cleanText(text).trim(), '\n');
  }

  heading(level: number, text: string): void {
    const title = cleanText(text).replace(/\s+/g, ' ').trim();
    const end = this.length;
    this.add(title, '\n\n');
    if (title !== '') {
      this.remember(end === 0 ? 0 : end + 2, level, title);
    }
  }

  /** Adds a text as it is, apart from invisible characters. */
  whole(text: string): void {
    this.add(cleanText(text), '');
  }

  /** Notes a heading that the text already has. */
  remember(start: number, level: number, title: string): void {
    if (this.headings.length < MOST_HEADINGS && this.headingText < MOST_HEADING_TEXT) {
      const beginning = beginningOf(title, LONGEST_HEADING);
      this.headings.push({ start, level, title: beginning });
      this.headingText += beginning.length;
    }
  }

  /** What follows is on the next page. */
  page(): void {
    if (this.pages.length >= MOST_PAGES) {
      throw new DocumentFailure('too_much_text');
    }
    this.pages.push({ page: this.pages.length + 1, start: this.length });
  }

  /** @throws DocumentFailure if there is no text */
  finish(): DocumentText {
    const text = this.parts.join('');
    if (!/\S/.test(text)) {
      throw new DocumentFailure('no_text');
    }
    return { text, headings: this.headings, pages: this.pages };
  }

  /** Pages start behind the blank line before their text. */
  private beginPages(separator: number): void {
    const end = this.length;
    for (let index = this.pages.length - 1; this.pages[index]?.start === end; index--) {
      this.pages[index]!.start += separator;
    }
  }

  private add(text: string, separator: string): void {
    if (text === '') {
      return;
    }
    const whole = this.length === 0 ? text : separator + text;
    this.beginPages(whole.length - text.length);
    this.length += whole.length;
    if (this.length > MOST_TEXT) {
      throw new DocumentFailure('too_much_text');
    }
    this.parts.push(whole);
  }
}

/** A text in NFC with LF as line ends, without controls, invisible characters and halves of characters. */
export function cleanText(text: string): string {
  const lines = text.includes('\r') || text.includes('\f') ? text.replace(/\r\n?|\f/g, '\n') : text;
  return unicodeForm(lines.replace(INVISIBLE, '').toWellFormed());
}
