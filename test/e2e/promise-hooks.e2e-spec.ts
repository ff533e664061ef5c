// @databases sqlite: contexts of promises
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { AuditScope } from '../../src/modules/admin/audit/audit-scope';
import { createUser } from '../support/accounts';
import { watchStorages } from '../support/enabled-storages';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { startTestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

/** The number of concurrent calls. */
const CALLS = 24;

describe('the hooks that Node 20 runs for each promise', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  afterEach(() => jest.restoreAllMocks());

  /** The service's own work may be running for a moment. */
  const untilOff = (enabled: Set<unknown>): Promise<true> =>
    eventually(() => Promise.resolve(enabled.size === 0 || undefined), 10);

  it('are off once the service has started', async () => {
    const enabled = watchStorages();
    const other = await startTestApp();
    expect(jest.mocked(AsyncLocalStorage.prototype.run)).toHaveBeenCalled();
    await untilOff(enabled);
    await other.close();
  });

  it('are off again after parallel units of work: nested, slow and failing ones, each in its own transaction', async () => {
    const enabled = watchStorages();
    const database = app.app.get(Database);
    const unit = (index: number): Promise<boolean> =>
      database.write(async (manager) => {
        await manager.query('SELECT 1');
        await delay(index % 6);
        const isSame = await database.write(async (inner) => {
          await inner.query('SELECT 1');
          return inner === manager && database.manager === manager;
        });
        if (index % 4 === 0) {
          throw new Error(`refused ${String(isSame && database.manager === manager)}`);
        }
        await delay(index % 3);
        return isSame && database.manager === manager;
      });
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, (_unit, index) => unit(index).catch((error: Error) => error.message)),
    );
    expect(outcomes).toEqual(
      Array.from({ length: CALLS }, (_unit, index) => (index % 4 === 0 ? 'refused true' : true)),
    );
    await untilOff(enabled);
  });

  it('are off again after parallel requests of users and administrators, some of which fail', async () => {
    const enabled = watchStorages();
    const { token } = await createUser(app);
    const requests = [
      () => call(`${app.url}/chat`, { token, body: {} }),
      () => call(`${app.url}/chat`, { token, body: { agent_id: 999_999 } }),
      () => call(`${app.url}/chat`, { token }),
      () => call(`${app.url}/auth/me`),
      () => admin.put('/admin/users/999999', { is_active: false }),
      () => admin.post('/admin/users', { email: 'no address' }),
      () => admin.get('/admin/users'),
    ];
    const sent = Array.from({ length: CALLS }, (_request, index) => requests[index % requests.length]!());
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(new Set(statuses).size).toBeGreaterThan(3);
    await untilOff(enabled);
    expect(app.app.get(AuditScope).current).toBeUndefined();
  });
});
