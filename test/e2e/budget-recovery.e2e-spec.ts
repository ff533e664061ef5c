// @databases mariadb: two instances share one database
// @part rest: kills many instances
import { KilledService } from '../support/budget-kills';

/** A hundred are in `test/crash`. */
const KILLS = 10;

describe('budgets and the ledger of a service that is killed', () => {
  let service: KilledService;

  beforeAll(async () => {
    service = await KilledService.start();
  });

  afterAll(() => service.close());

  it('lose no hold and no cost, whichever process settles them', async () => {
    const limit = '1000';
    const { id } = await service.budget({ scope: 'service', limit });
    const each = await service.budget({ scope: 'membership_type', scope_id: 'free', each_user: true, limit });
    for (let kills = 0; kills < KILLS;) {
      const killed = await service.killWhileAllSend();
      kills += killed;
      await (kills < KILLS ? service.begin(killed) : service.beginHere());
    }
    const { spent } = await service.settled(id);
    expect((await service.settled(each.id)).spent).toBe(spent);
    const compared = await service.compare();
    expect(compared).toMatchObject({ unexplained: [], missing: 0, cost: spent });
    expect(compared.exact).toBeGreaterThan(0);
    expect(compared.estimated).toBeGreaterThan(0);
  }, 600_000);
});
