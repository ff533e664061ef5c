import { Database } from '../../src/database/database';
import { insertRow, insertRows } from '../../src/database/statements/insert';
import { updateRows } from '../../src/database/statements/update';
import { PassageIndex } from '../../src/integrations/passage-index/passage-index';
import { readWords } from '../../src/integrations/passage-index/passage-words';
import {
  type EntryAttributes,
  KnowledgeAttributeEntity,
  KnowledgeEntryEntity,
} from '../../src/modules/knowledge/tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../../src/modules/knowledge/tables/knowledge-file.entity';
import { KnowledgeJobEntity } from '../../src/modules/knowledge/tables/knowledge-job.entity';
import { KnowledgePassageEntity } from '../../src/modules/knowledge/tables/knowledge-passage.entity';
import {
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
  PIECE_LENGTH,
} from '../../src/modules/knowledge/tables/knowledge-text.entity';
import type { TestApp } from './test-app';

type App = Pick<TestApp, 'app'>;

/** A passage as a text, or as a range of the file's text. */
export interface PassageRange {
  start: number;
  end: number;
  page?: number;
  heading?: string;
}

export interface NewIndexedFile {
  storeId: number;
  ownerId: number;
  text: string;
  /** Default: the whole text is one passage. */
  passages?: PassageRange[];
  filename?: string;
  attributes?: EntryAttributes;
  /** The vector of each passage. */
  vectors?: number[][];
}

export interface StoredIndexedFile {
  storeId: number;
  fileId: number;
  entryId: number;
  ingestionId: number;
  passageIds: number[];
}

/** Adds a file to a collection as an ingestion leaves it. */
export async function addIndexedFile(app: App, file: NewIndexedFile): Promise<StoredIndexedFile> {
  const { storeId, ownerId, text, filename = 'file.txt', attributes = {} } = file;
  const now = new Date();
  const sha256 = 'a'.repeat(64);
  const [fileId, entryId] = await app.app.get(Database).write(async (manager) => {
    const id = await insertRow(manager, KnowledgeFileEntity, {
      ownerId,
      chatId: null,
      sha256,
      bytes: text.length,
      textBytes: 0,
      mediaType: 'text/plain',
      filename,
      purpose: 'user_data',
      createdAt: now,
      expiresAt: null,
    });
    const entry = await insertRow(manager, KnowledgeEntryEntity, {
      storeId,
      fileId: id,
      addedBy: ownerId,
      requestId: null,
      status: 'in_progress',
      stage: 'queued',
      progressDone: 0,
      progressTotal: 0,
      errorCode: null,
      warning: null,
      attributes,
      chunkSize: 800,
      chunkOverlap: 400,
      nextChunkSize: null,
      nextChunkOverlap: null,
      ingestionId: null,
      passages: 0,
      usageBytes: 0,
      createdAt: now,
      completedAt: null,
    });
    for (const [name, value] of Object.entries(attributes)) {
      await insertRow(manager, KnowledgeAttributeEntity, {
        entryId: entry,
        name,
        textValue: typeof value === 'string' ? value : null,
        numberValue: typeof value === 'number' ? value : null,
        booleanValue: typeof value === 'boolean' ? value : null,
      });
    }
    return [id, entry];
  });
  return ingestAgain(app, { ...file, fileId, entryId });
}

/** Replaces the passages of an entry. */
export async function ingestAgain(
  app: App,
  file: NewIndexedFile & { fileId: number; entryId: number },
): Promise<StoredIndexedFile> {
  const { storeId, ownerId, text, filename = 'file.txt', vectors, fileId, entryId } = file;
  const passages: PassageRange[] = file.passages ?? [{ start: 0, end: text.length }];
  const now = new Date();
  const words = await readWords(
    passages.map(({ start, end, heading = null }) => ({ text: text.slice(start, end), filename, heading })),
  );
  return app.app.get(Database).write(async (manager) => {
    const ingestionId = await insertRow(manager, KnowledgeJobEntity, {
      entryId,
      ownerId,
      kind: 'ingest',
      state: 'running',
      stage: 'indexing',
      leaseOwner: 'test',
      leaseUntil: new Date(now.getTime() + 86_400_000),
      attempts: 0,
      nextAt: now,
      createdAt: now,
    });
    await manager.query('DELETE FROM knowledge_jobs WHERE id = ?', [ingestionId]);
    const textId = await insertRow(manager, KnowledgeTextEntity, {
      ownerId,
      sha256: String(ingestionId).padStart(64, '0'),
      parserVersion: 'test',
      length: text.length,
      pages: [],
    });
    for (let start = 0, number = 0; start < text.length; start += PIECE_LENGTH, number++) {
      const piece = { textId, number, startOffset: start, text: text.slice(start, start + PIECE_LENGTH) };
      await insertRow(manager, KnowledgeTextPieceEntity, piece);
    }
    const passageIds = await insertRows(
      manager,
      KnowledgePassageEntity,
      passages.map(({ start, end, page = null, heading = null }, number) => ({
        storeId,
        entryId,
        ingestionId,
        number,
        textId,
        startOffset: start,
        endOffset: end,
        page,
        heading,
        tokens: 10,
        hash: '0'.repeat(64),
      })),
    );
    const index = app.app.get(PassageIndex);
    await index.addWords(manager, { storeId, ingestionId }, passageIds, words);
    if (vectors !== undefined) {
      const each = passageIds.map((passageId, at) => ({ passageId, vector: Float32Array.from(vectors[at]!) }));
      await index.addVectors(manager, { storeId, ingestionId, generation: 1 }, each);
    }
    const done = { status: 'completed' as const, stage: 'done' as const, ingestionId, passages: passages.length };
    await updateRows(manager, KnowledgeEntryEntity, { ...done, completedAt: now }, { id: entryId });
    return { storeId, fileId, entryId, ingestionId, passageIds };
  });
}
