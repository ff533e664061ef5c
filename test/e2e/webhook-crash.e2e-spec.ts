import { crashWebhooks } from '../crash/webhook-crash';
import { createMigratedDatabase } from '../support/servers/migrated-database';

describe('killing the service while it delivers', () => {
  // The long form, with a hundred kills, is test/crash/webhook.crash-spec.ts.
  it('loses no event of a committed change and invents none', async () => {
    const database = await createMigratedDatabase();
    const report = await crashWebhooks(database.url, 2);
    expect(report).toMatchObject({ kills: 2, lost: [], invented: [], renamed: [] });
    expect(report.committed).toBeGreaterThan(0);
    await database.drop();
  });
});
