import { createMigratedDatabase } from '../support/servers/migrated-database';
import { crashWebhooks } from './webhook-crash';

const KILLS = 100;

describe('killing the service repeatedly while it delivers', () => {
  it('loses no event of a committed change and sends no other', async () => {
    const database = await createMigratedDatabase();
    const { committed, duplicates, ...report } = await crashWebhooks(database.url, KILLS);
    process.stdout.write(`${committed} changes, ${duplicates} events sent again\n`);
    expect(report).toEqual({ kills: KILLS, lost: [], invented: [], renamed: [] });
    expect(committed).toBeGreaterThan(KILLS);
    await database.drop();
  });
});
