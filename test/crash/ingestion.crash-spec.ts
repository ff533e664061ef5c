import { KilledIngestion } from '../support/ingestion-kills';

const KILLS = 200;

describe('files that are read by a service that is killed two hundred times', () => {
  it('have each passage once, and no text is embedded more often than twice', async () => {
    for (let kills = 0; kills < KILLS;) {
      const service = await KilledIngestion.start(10);
      try {
        let own = 0;
        do {
          own = await service.kill();
        } while (kills + own < KILLS && (own % 5 !== 0 || (await service.hasWork())));
        kills += own;
        const { entries, ...outcome } = await service.finish();
        const nothing = { wrongPassages: 0, unindexed: 0, sentTooOften: 0, sentAgainWithoutKill: 0 };
        expect(outcome).toEqual({ ...nothing, completed: entries });
      } finally {
        await service.close();
      }
    }
  }, 7_200_000);
});
