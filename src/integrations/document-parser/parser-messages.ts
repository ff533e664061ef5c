import type { CutPassage, CuttingRule } from './cutting/cut-text';
import type { DocumentFault } from './document-failure';
import type { PageStart, TextHeading } from './reading/document-text';

/** What the process gets before the bytes, which it reads from its standard input. */
export type ParserTask =
  | { kind: 'parse'; filename: string; rule: CuttingRule }
  | { kind: 'cut'; rule: CuttingRule; headings: TextHeading[]; pages: PageStart[] };

/** The text of a file is complete. Its pieces follow. */
export interface ParsedText {
  kind: 'parsed';
  /** UTF-16 units. */
  length: number;
  /** In UTF-8. */
  bytes: number;
  headings: TextHeading[];
  pages: PageStart[];
}

/** A part of the text. The pieces in order are the text. */
export interface ParsedPiece {
  kind: 'piece';
  /** From 0. */
  number: number;
  start: number;
  text: string;
}

export interface ParsedPassage extends CutPassage {
  text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  hash: string;
}

/** Some passages, in order. */
export interface ParsedPassages {
  kind: 'passages';
  passages: ParsedPassage[];
}

export type ParserOutput = ParsedText | ParsedPiece | ParsedPassages;

/** What the process sends. After each message it waits for the next request. */
export type ParserMessage = ParserOutput | { kind: 'end' } | { kind: 'fault'; fault: DocumentFault };
