import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { createAdmin, type TestAccount } from './accounts';
import { type Answer, call } from './http';
import type { TestApp } from './test-app';

/** The success envelope. */
export interface Enveloped<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

/** One page of a list. */
export interface PageBody<Item> {
  items: Item[];
  pagination: { page: number; size: number; total: number; pages: number };
}

/** An administrator's client. */
export class AdminClient {
  constructor(
    private readonly app: Pick<TestApp, 'url'>,
    readonly account: TestAccount,
  ) {}

  static async of(app: TestApp): Promise<AdminClient> {
    return new AdminClient(app, await createAdmin(app));
  }

  get id(): number {
    return this.account.user.id;
  }

  get<Data>(path: string): Promise<Answer<Enveloped<Data>>> {
    return this.send('GET', path);
  }

  post<Data>(path: string, body: unknown = {}): Promise<Answer<Enveloped<Data>>> {
    return this.send('POST', path, body);
  }

  put<Data>(path: string, body: unknown): Promise<Answer<Enveloped<Data>>> {
    return this.send('PUT', path, body);
  }

  delete<Data>(path: string): Promise<Answer<Enveloped<Data>>> {
    return this.send('DELETE', path);
  }

  /** The items of a list. */
  async items<Item>(path: string): Promise<Item[]> {
    const { status, text, body } = await this.get<PageBody<Item>>(path);
    if (status !== 200) {
      throw new Error(`GET ${path} answered ${status}: ${text}`);
    }
    return body.data.items;
  }

  /** The log entries with the request id of an answer. */
  async entriesOf({ headers }: Pick<Answer, 'headers'>): Promise<AuditLogDto[]> {
    const logs = await this.items<AuditLogDto>('/admin/audit_logs?size=100');
    return logs.filter(({ request_id }) => request_id === headers.get('x-request-id'));
  }

  private send<Data>(method: string, path: string, body?: unknown): Promise<Answer<Enveloped<Data>>> {
    return call(`${this.app.url}${path}`, {
      method,
      token: this.account.token,
      body,
      headers: { 'user-agent': 'admin-test' },
    });
  }
}
