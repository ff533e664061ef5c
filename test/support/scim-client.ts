import { newcomer } from './accounts';
import type { AdminClient } from './admin-client';
import { type Answer, call } from './http';
import type { TestApp } from './test-app';

/** A SCIM resource or message. */
export type ScimBody = Record<string, unknown> & { id: string };

/** The members of a resource that tests read by name. */
export type ScimPerson = ScimBody & { userName: string; externalId: string };
export type ScimGroup = ScimBody & { displayName: string };

export interface ScimList {
  totalResults: number;
  itemsPerPage: number;
  startIndex: number;
  Resources: ScimBody[];
}

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A company directory with its own key. */
export class ScimClient {
  private constructor(
    private readonly origin: string,
    readonly key: string,
    readonly providerId: number,
    readonly issuer: string,
    readonly serviceId: number,
  ) {}

  /** @param fields of the provider */
  static async of(app: Pick<TestApp, 'origin'>, admin: AdminClient, fields: object = {}): Promise<ScimClient> {
    const { username: slug } = newcomer();
    const issuer = `https://${slug}.example`;
    const body = { slug, name: 'Example Inc.', issuer, client_id: 'chat', client_secret: 'a-secret', ...fields };
    const provider = await admin.post<{ id: number }>('/admin/identity_providers', body);
    return ScimClient.ofProvider(app, admin, { id: provider.body.data.id, issuer });
  }

  /** @param provider an existing one */
  static async ofProvider(
    app: Pick<TestApp, 'origin'>,
    admin: AdminClient,
    provider: { id: number; issuer: string },
  ): Promise<ScimClient> {
    const service = await admin.post<{ id: number }>('/admin/users', {
      username: newcomer().username,
      user_type: 'service',
    });
    const { id } = service.body.data;
    const wanted = { name: 'directory', scopes: ['scim'], identity_provider_id: provider.id };
    const key = await admin.post<{ key: string }>(`/admin/users/${id}/api-keys`, wanted);
    if (key.status !== 201) {
      throw new Error(`The key was answered with ${key.status}: ${key.text}`);
    }
    return new ScimClient(app.origin, key.body.data.key, provider.id, provider.issuer, id);
  }

  /** The same directory in another instance. */
  at(app: Pick<TestApp, 'origin'>): ScimClient {
    return new ScimClient(app.origin, this.key, this.providerId, this.issuer, this.serviceId);
  }

  request<Body = ScimBody>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return call(`${this.origin}/scim/v2${path}`, {
      method,
      token: this.key,
      raw: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        accept: 'application/scim+json',
        ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
      },
    });
  }

  get<Body = ScimBody>(path: string): Promise<Answer<Body>> {
    return this.request('GET', path);
  }

  list(path: string, filter?: string): Promise<Answer<ScimList>> {
    return this.get(filter === undefined ? path : `${path}?filter=${encodeURIComponent(filter)}`);
  }

  post<Body = ScimBody>(path: string, body: unknown): Promise<Answer<Body>> {
    return this.request('POST', path, body);
  }

  put(path: string, body: unknown): Promise<Answer<ScimBody>> {
    return this.request('PUT', path, body);
  }

  patch(path: string, ...operations: object[]): Promise<Answer<ScimBody>> {
    return this.request('PATCH', path, { schemas: [PATCH], Operations: operations });
  }

  delete(path: string): Promise<Answer<object>> {
    return this.request('DELETE', path);
  }

  /** Creates a user. */
  async person(fields: object = {}): Promise<ScimPerson> {
    const { username, email } = newcomer();
    const body = {
      schemas: [USER],
      userName: email,
      externalId: username,
      emails: [{ value: email, type: 'work', primary: true }],
    };
    const answer = await this.post<ScimPerson>('/Users', { ...body, ...fields });
    if (answer.status !== 201) {
      throw new Error(`POST /Users answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  async group(fields: object = {}): Promise<ScimGroup> {
    const answer = await this.post<ScimGroup>('/Groups', {
      schemas: [GROUP],
      displayName: newcomer().username,
      ...fields,
    });
    if (answer.status !== 201) {
      throw new Error(`POST /Groups answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }
}

/** Checks that an answer is an error in SCIM's form. */
export function expectScimFailure(
  { status, body, headers }: Answer<object>,
  expected: number,
  scimType?: string,
): void {
  expect({ status, body }).toEqual({
    status: expected,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(expected),
      ...(scimType !== undefined && { scimType }),
      detail: expect.any(String),
    },
  });
  expect(headers.get('content-type')).toContain('application/scim+json');
}
