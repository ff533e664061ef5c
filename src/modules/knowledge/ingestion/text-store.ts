import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { insertBatch, insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { parserVersion } from '../../../integrations/document-parser/document-parser';
import type { ParsedPiece, ParsedText } from '../../../integrations/document-parser/parser-messages';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { FileStore } from '../files/file.store';
import { type KnowledgeFile, KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from '../tables/knowledge-text.entity';
import { type ClaimedJob, JobClaims } from './job-claims';

/**
 * Texts of files: stored once for each owner, content and version of the parser. Each transaction of a job checks that
 * the job still exists, so that nothing of a deleted file is stored.
 */
@Injectable()
export class TextStore {
  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
    private readonly claims: JobClaims,
  ) {}

  /** The complete text of a file; null: it is to be parsed. */
  async find(file: KnowledgeFileEntity): Promise<KnowledgeTextEntity | null> {
    const text = await findRow(this.database.manager, KnowledgeTextEntity, keyOf(file));
    return text === null || text.length === 0 ? null : text;
  }

  /** The pieces of a text in UTF-8, in their order. */
  async *read(textId: number): AsyncGenerator<Buffer> {
    for (let number = 0; ; number++) {
      const piece = await findRow(this.database.manager, KnowledgeTextPieceEntity, { textId, number });
      if (piece === null) {
        return;
      }
      yield Buffer.from(piece.text);
    }
  }

  /** Begins a text. What an ended attempt left of it is removed. @returns its id @throws JobGoneError */
  begin(job: ClaimedJob, file: KnowledgeFileEntity): Promise<number> {
    return this.database.write(async (manager) => {
      await this.claims.hold(manager, job);
      const left = await findLocked(manager, KnowledgeTextEntity, keyOf(file));
      if (left !== null) {
        await deleteRows(manager, KnowledgeTextPieceEntity, { textId: left.id });
        return left.id;
      }
      const { ownerId, sha256, filename } = file;
      // A length of 0 marks a text that is not complete.
      const row = { ownerId, sha256, parserVersion: parserVersion(filename), length: 0, pages: [], headings: [] };
      return (await insertEntity(manager, KnowledgeTextEntity, row)).id;
    });
  }

  /** @throws JobGoneError */
  async add(job: ClaimedJob, textId: number, { number, start, text }: ParsedPiece): Promise<void> {
    await this.database.write(async (manager) => {
      await this.claims.hold(manager, job);
      await insertBatch(manager, KnowledgeTextPieceEntity, [{ textId, number, startOffset: start, text }]);
    });
  }

  /** All pieces are stored. @throws JobGoneError */
  async complete(job: ClaimedJob, textId: number, { length, pages, headings }: ParsedText): Promise<void> {
    await this.database.write(async (manager) => {
      await this.claims.hold(manager, job);
      await updateRows(manager, KnowledgeTextEntity, { length, pages, headings }, { id: textId });
    });
  }

  /** Stores the whole text of a file for later requests, unless it is being stored or its owner has no room for it. */
  async keep(
    file: KnowledgeFile,
    { length, bytes, pages, headings }: ParsedText,
    pieces: readonly ParsedPiece[],
  ): Promise<void> {
    const { id, ownerId, sha256, filename } = file;
    const row = { ownerId, sha256, parserVersion: parserVersion(filename), length, pages, headings };
    try {
      await this.database.write(async (manager) => {
        // The file first: its text must not be stored after it was deleted.
        if ((await findLocked(manager, KnowledgeFileEntity, { id, ownerId: ownerId ?? IsNull() })) === null) {
          return;
        }
        await this.files.countText(manager, id, bytes);
        const { id: textId } = await insertEntity(manager, KnowledgeTextEntity, row);
        for (const { number, start: startOffset, text } of pieces) {
          await insertBatch(manager, KnowledgeTextPieceEntity, [{ textId, number, startOffset, text }]);
        }
      });
    } catch (error) {
      if (!isUniqueViolation(error) && !(error instanceof StorageQuotaExceededError)) {
        throw error;
      }
    }
  }

  /**
   * Counts the text towards the storage of its owner, once for each file.
   *
   * @param bytes of the text, in UTF-8
   * @throws StorageQuotaExceededError
   */
  async count({ id }: KnowledgeFileEntity, bytes: number): Promise<void> {
    await this.database.write((manager) => this.files.countText(manager, id, bytes));
  }
}

function keyOf({ ownerId, sha256, filename }: KnowledgeFileEntity): {
  ownerId: number | ReturnType<typeof IsNull>;
  sha256: string;
  parserVersion: string;
} {
  return { ownerId: ownerId ?? IsNull(), sha256, parserVersion: parserVersion(filename) };
}
