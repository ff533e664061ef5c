import { createHash, randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { insertRow } from '../../src/database/statements/insert';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { EntryOutcomes } from '../../src/modules/knowledge/collections/entry-outcomes';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import type { FileDto } from '../../src/modules/knowledge/files/file.dto';
import { type EntryError, KnowledgeEntryEntity } from '../../src/modules/knowledge/tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../../src/modules/knowledge/tables/knowledge-file.entity';
import { KnowledgeJobEntity } from '../../src/modules/knowledge/tables/knowledge-job.entity';
import { KnowledgePassageEntity } from '../../src/modules/knowledge/tables/knowledge-passage.entity';
import {
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
} from '../../src/modules/knowledge/tables/knowledge-text.entity';
import { createUser, type TestAccount } from './accounts';
import type { Enveloped, PageBody } from './admin-client';
import { type Answer, call, type CallOptions } from './http';
import type { TestApp } from './test-app';

/** No instance takes jobs: tests decide how ingestions end. */
export const WITHOUT_INGESTION = { KNOWLEDGE_INGESTIONS: '0' };

export interface SentFile {
  /** The field of the file; default: `file`. */
  field?: string;
  name?: string;
  content?: string | Buffer;
  /** Other fields of the form. */
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** A form with a file. */
export function formOf({ field: own = 'file', name = 'notes.txt', content = 'hello', fields = {} }: SentFile): {
  raw: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
} {
  const boundary = `form-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const raw = Buffer.concat([
    Buffer.from(parts.join('')),
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${own}"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { raw: new Uint8Array(raw), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** A user's requests about files and collections. */
export class KnowledgeClient {
  constructor(
    readonly app: Pick<TestApp, 'app' | 'url'>,
    readonly account: TestAccount,
  ) {}

  static async of(app: TestApp, ...columns: Parameters<typeof createUser>[1][]): Promise<KnowledgeClient> {
    return new KnowledgeClient(app, await createUser(app, ...columns));
  }

  get id(): number {
    return this.account.user.id;
  }

  send<Data = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Enveloped<Data>>> {
    return call(`${this.app.url}${path}`, { token: this.account.token, ...options });
  }

  /** The data of a successful answer. */
  async data<Data>(path: string, options: CallOptions = {}): Promise<Data> {
    const answer = await this.send<Data>(path, options);
    if (answer.status >= 300) {
      throw new Error(`${options.method ?? ''} ${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body.data;
  }

  async items<Item>(path: string): Promise<Item[]> {
    return (await this.data<PageBody<Item>>(path)).items;
  }

  sendFile(file: SentFile = {}, path = '/files'): Promise<Answer<Enveloped<FileDto>>> {
    const { raw, headers } = formOf(file);
    return this.send(path, { raw, headers: { ...headers, ...file.headers } });
  }

  async upload(file: SentFile = {}): Promise<FileDto> {
    const answer = await this.sendFile(file);
    if (answer.status !== 201) {
      throw new Error(`POST /files answered ${answer.status}: ${answer.text}`);
    }
    return answer.body.data;
  }

  createStore(body: object = {}): Promise<KnowledgeDto> {
    return this.data('/knowledge', { body: { name: 'Handbooks', ...body } });
  }

  attach(storeId: number, fileId: number, body: object = {}): Promise<EntryDto> {
    return this.data(`/knowledge/${storeId}/files`, { body: { file_id: fileId, ...body } });
  }

  /** A file in a collection that can be searched. */
  async addText(storeId: number, text = 'The sea is warm in May.'): Promise<FileDto> {
    const file = await this.upload({ content: text });
    await this.attach(storeId, file.id);
    await completeEntry(this.app, storeId, file.id, text);
    return file;
  }
}

/** Ends the ingestion of an entry as the workers do: one passage with the whole text. */
export async function completeEntry(
  { app }: Pick<TestApp, 'app'>,
  storeId: number,
  fileId: number,
  text: string,
): Promise<boolean> {
  return app.get(Database).write(async (manager) => {
    const entry = await manager.findOneByOrFail(KnowledgeEntryEntity, { storeId, fileId });
    const job = await manager.findOneByOrFail(KnowledgeJobEntity, { entryId: entry.id });
    const { ownerId, sha256 } = await manager.findOneByOrFail(KnowledgeFileEntity, { id: fileId });
    const known = await manager.findOneBy(KnowledgeTextEntity, { ownerId: ownerId ?? 0, sha256 });
    const content = { ownerId, sha256, parserVersion: 'test', length: text.length, pages: [] };
    const textId = known?.id ?? (await insertRow(manager, KnowledgeTextEntity, content));
    if (known === null) {
      await insertRow(manager, KnowledgeTextPieceEntity, { textId, number: 0, startOffset: 0, text });
    }
    await insertRow(manager, KnowledgePassageEntity, {
      storeId,
      entryId: entry.id,
      ingestionId: job.id,
      number: 0,
      textId,
      startOffset: 0,
      endOffset: text.length,
      page: null,
      heading: null,
      tokens: 5,
      hash: createHash('sha256').update(text).digest('hex'),
    });
    const made = { passages: 1, usageBytes: text.length, warning: null };
    return app.get(EntryOutcomes).complete(manager, job.id, made);
  });
}

/** Ends the ingestion of an entry with a failure. */
export async function failEntry(
  { app }: Pick<TestApp, 'app'>,
  storeId: number,
  fileId: number,
  error: EntryError = 'encrypted',
): Promise<boolean> {
  return app.get(Database).write(async (manager) => {
    const entry = await manager.findOneByOrFail(KnowledgeEntryEntity, { storeId, fileId });
    const job = await manager.findOneByOrFail(KnowledgeJobEntity, { entryId: entry.id });
    return app.get(EntryOutcomes).fail(manager, job.id, error);
  });
}
