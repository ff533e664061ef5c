import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { UserTurns } from '../../../common/load/user-turns';
import { DocumentFailure } from '../../../integrations/document-parser/document-failure';
import { DocumentParser, parserVersion } from '../../../integrations/document-parser/document-parser';
import type { ParsedPiece, ParsedText } from '../../../integrations/document-parser/parser-messages';
import { FileTypeNotSupportedError } from '../../generation/generation.api';
import { AUTOMATIC } from '../collections/entry-fields';
import { FileWithoutTextError } from '../files/file.errors';
import type { KnowledgeFile } from '../tables/knowledge-file.entity';
import { TextStore } from './text-store';

/** Each process that reads a file takes a processor and up to KNOWLEDGE_PARSE_MEMORY_MB. */
const OF_ALL = { running: 2, waiting: 100 };
const OF_EACH = { running: 1, waiting: 20 };

/** Most UTF-16 units of recent texts in memory. */
const MOST_RECENT_UNITS = 8_000_000;

/** A file whose text is wanted. */
export interface ReadableFile {
  /** The path of the parameter, such as `input[0].content[0].file_id`. */
  field: string;
  filename: string;
  bytes: Buffer;
  /** The uploaded file, whose text may be stored; null: the file came with the request. */
  uploaded: KnowledgeFile | null;
}

/** Reads the texts of files for prompts. */
@Injectable()
export class FileTexts {
  private readonly turns = new UserTurns(OF_ALL, OF_EACH);
  /** Texts of files that came with recent requests: clients send a conversation with its files again and again. */
  private readonly recent = new LRUCache<string, string>({
    maxSize: MOST_RECENT_UNITS,
    sizeCalculation: ({ length }) => length + 1,
  });

  constructor(
    private readonly parser: DocumentParser,
    private readonly texts: TextStore,
  ) {}

  /**
   * @param most UTF-16 units
   * @throws FileTypeNotSupportedError, FileWithoutTextError, ValidationFailedError for a longer text;
   * RateLimitExceededError or ServiceUnavailableError if too many files wait
   */
  async read(userId: number, file: ReadableFile, most: number, signal: AbortSignal): Promise<string> {
    const known = file.uploaded && (await this.texts.find(file.uploaded));
    if (known) {
      requireFit(file, known.length, most);
      const pieces: Buffer[] = [];
      for await (const piece of this.texts.read(known.id)) {
        pieces.push(piece);
      }
      return Buffer.concat(pieces).toString();
    }
    const isOwn = file.uploaded?.ownerId === userId;
    // Not shared between users: a fast answer would reveal that another user has the same file.
    const key = isOwn ? '' : `${userId} ${parserVersion(file.filename)} ${hash('sha256', file.bytes)}`;
    const recent = isOwn ? undefined : this.recent.get(key);
    if (recent !== undefined) {
      requireFit(file, recent.length, most);
      return recent;
    }
    const { parsed, pieces } = await this.turns.run(userId, () => this.parse(file, most, signal));
    const text = pieces.map((piece) => piece.text).join('');
    if (!isOwn) {
      this.recent.set(key, text);
    } else if (file.uploaded !== null && parsed !== null) {
      await this.texts.keep(file.uploaded, parsed, pieces);
    }
    return text;
  }

  private async parse(
    file: ReadableFile,
    most: number,
    signal: AbortSignal,
  ): Promise<{ parsed: ParsedText | null; pieces: ParsedPiece[] }> {
    const { field, filename, bytes } = file;
    const task = { kind: 'parse' as const, filename, rule: AUTOMATIC };
    const pieces: ParsedPiece[] = [];
    let parsed: ParsedText | null = null;
    try {
      for await (const part of this.parser.run(task, bytes, signal)) {
        if (part.kind === 'parsed') {
          requireFit(file, part.length, most);
          parsed = part;
        } else if (part.kind === 'piece') {
          pieces.push(part);
        } else {
          // The passages follow the text.
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof DocumentFailure)) {
        throw error;
      }
      throw error.fault === 'type_not_supported'
        ? new FileTypeNotSupportedError(field)
        : new FileWithoutTextError(field, error.fault, filename);
    }
    return { parsed, pieces };
  }
}

function requireFit({ field }: ReadableFile, length: number, maximum: number): void {
  if (length > maximum) {
    throw ValidationFailedError.of(field, 'too_long', { maximum });
  }
}
