import { KilledService } from '../support/budget-kills';
import { money } from '../support/budgets';

/** Each costs a start of the service. The same with a hundred is `npm run test:crash`. */
const KILLS = 2;

describe('budgets of a service that is killed', () => {
  let service: KilledService;

  beforeAll(async () => {
    service = await KilledService.start();
  });

  afterAll(() => service.close());

  it('lose no hold and no cost, whichever process settles them', async () => {
    const limit = '1000';
    const { id } = await service.budget({ scope: 'service', limit });
    const each = await service.budget({ scope: 'membership_type', scope_id: 'free', each_user: true, limit });
    let before = 0n;
    for (let kill = 0; kill < KILLS; kill++) {
      await service.killWhileAllSend();
      const { spent } = await service.settled(id);
      expect(money(spent)).toBeGreaterThanOrEqual(before);
      before = money(spent);
    }
    expect(before).toBeGreaterThan(0n);
    expect(before).toBeGreaterThanOrEqual(await service.costOfCompleted());
    expect((await service.settled(each.id)).spent).toBe((await service.settled(id)).spent);
  }, 600_000);
});
