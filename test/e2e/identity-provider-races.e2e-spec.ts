// @databases mariadb: locks and deadlocks
import type { IdentityProviderDto } from '../../src/modules/identity/administration/provider.dto';
import { newcomer } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

const PATH = '/admin/identity_providers';

describe('two administrators who change one identity provider concurrently', () => {
  const app = useTestApp();
  const [one, other] = [useAdmin(app), useAdmin(app)];

  async function create(): Promise<string> {
    const { username: slug } = newcomer();
    const body = { slug, name: 'Another', issuer: `https://${slug}.example.com`, client_id: 'chat' };
    const made = await one.post<IdentityProviderDto>(PATH, { ...body, allowed_domains: ['example.com'] });
    expect(made.status).toBe(201);
    return `${PATH}/${made.body.data.id}`;
  }

  it.each([
    ['accounts for domains, and no domain', { jit: 'domains' }, { allowed_domains: [] }],
    ['accounts for all users, and a public provider', { jit: 'all' }, { issuer: 'https://accounts.google.com' }],
  ])('do not reach %s', async (_what, first, second) => {
    const path = await create();
    const answers = await Promise.all([one.put(path, first), other.put(path, second)]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectFailure(refused[0]!, 422, 'VALIDATION_ERROR');
  });
});
