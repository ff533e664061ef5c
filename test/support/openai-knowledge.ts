import type { OpenAiFileDto } from '../../src/modules/openai/files/file.dto';
import type { VectorStoreFileDto } from '../../src/modules/openai/vector-stores/entry.dto';
import type { VectorStoreDto } from '../../src/modules/openai/vector-stores/store.dto';
import { createUser, type TestAccount } from './accounts';
import { type Answer, call, type CallOptions } from './http';
import { formOf, KnowledgeClient, type SentFile } from './knowledge';
import type { TestApp } from './test-app';

/** A page of a list. */
export interface CursorPageBody<Item> {
  object: 'list';
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** A user's requests about files and vector stores to the OpenAI-compatible API. */
export class OpenAiKnowledge {
  constructor(
    readonly app: Pick<TestApp, 'app' | 'url' | 'origin'>,
    readonly account: TestAccount,
  ) {}

  static async of(app: TestApp, ...columns: Parameters<typeof createUser>[1][]): Promise<OpenAiKnowledge> {
    return new OpenAiKnowledge(app, await createUser(app, ...columns));
  }

  /** The same user in the native API. */
  get native(): KnowledgeClient {
    return new KnowledgeClient(this.app, this.account);
  }

  send<Data = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Data>> {
    return call(`${this.app.origin}/openai/v1${path}`, { token: this.account.token, ...options });
  }

  /** The body of a successful answer. */
  async data<Data>(path: string, options: CallOptions = {}): Promise<Data> {
    const answer = await this.send<Data>(path, options);
    if (answer.status !== 200) {
      throw new Error(`${options.method ?? ''} ${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  /** The ids of a page. */
  async ids(path: string): Promise<string[]> {
    return (await this.data<CursorPageBody<{ id: string }>>(path)).data.map(({ id }) => id);
  }

  sendFile(file: SentFile = {}, path = '/files'): Promise<Answer<OpenAiFileDto>> {
    const { raw, headers } = formOf({ fields: { purpose: 'assistants' }, ...file });
    return this.send(path, { raw, headers: { ...headers, ...file.headers } });
  }

  async upload(file: SentFile = {}): Promise<OpenAiFileDto> {
    const answer = await this.sendFile(file);
    if (answer.status !== 200) {
      throw new Error(`POST /files answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  createStore(body: object = { name: 'Handbooks' }): Promise<VectorStoreDto> {
    return this.data('/vector_stores', { body });
  }

  attach(storeId: string, fileId: string, body: object = {}): Promise<VectorStoreFileDto> {
    return this.data(`/vector_stores/${storeId}/files`, { body: { file_id: fileId, ...body } });
  }
}

/** The id of the row of an object. */
export function rowOf(objectId: string): number {
  return Number(/\d+$/.exec(objectId)?.[0]);
}
