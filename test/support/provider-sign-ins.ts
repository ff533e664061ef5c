import { Database } from '../../src/database/database';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { newcomer } from './accounts';
import type { AdminClient } from './admin-client';
import type { TestApp } from './test-app';

interface SignIn {
  userId: number;
  /** The time of the user's sign-in with it. */
  at: Date;
  /** Of the provider. */
  fields?: object;
}

/** Creates a provider with a signed-in user. @returns its id */
export async function makeSignIn(
  { app }: Pick<TestApp, 'app'>,
  admin: AdminClient,
  { userId, at, fields = {} }: SignIn,
): Promise<number> {
  const { username: slug } = newcomer();
  const issuer = `https://${slug}.example`;
  const body = { slug, name: slug, issuer, client_id: 'chat', client_secret: 'a-secret', ...fields };
  const { status, body: made } = await admin.post<{ id: number }>('/admin/identity_providers', body);
  expect(status).toBe(201);
  const { id } = made.data;
  const identity = { providerId: id, issuer, subject: slug, userId, linkedAt: at, lastUsedAt: at };
  await app.get(Database).write((manager) => manager.save(IdentityEntity, identity));
  return id;
}
