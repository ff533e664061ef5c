import { KilledService } from '../support/budget-kills';

const KILLS = 100;

describe('budgets and the ledger of a service that is killed a hundred times', () => {
  let service: KilledService;

  beforeAll(async () => {
    service = await KilledService.start();
  });

  afterAll(() => service.close());

  it('lose no hold and no cost', async () => {
    const { id } = await service.budget({ scope: 'service', limit: '1000' });
    for (let kills = 0; kills < KILLS;) {
      const killed = await service.killWhileAllSend();
      kills += killed;
      await service.begin(killed);
      await service.settled(id);
    }
    const { spent } = await service.settled(id);
    expect(await service.compare()).toMatchObject({ unexplained: [], missing: 0, cost: spent });
  }, 3_600_000);
});
