// @databases mariadb: leases of a dead instance
// @part rest: starts and kills the built service
import { KilledIngestion } from '../support/ingestion-kills';

it('reads all files completely although the service is killed while it reads them', async () => {
  const service = await KilledIngestion.start(2);
  try {
    for (let kills = 0; kills < 3;) {
      kills = await service.kill();
    }
    const { entries, ...outcome } = await service.finish();
    const nothing = { wrongPassages: 0, unindexed: 0, sentTooOften: 0, sentAgainWithoutKill: 0 };
    expect(outcome).toEqual({ ...nothing, completed: entries });
  } finally {
    await service.close();
  }
}, 600_000);
