import { KilledService } from '../support/budget-kills';
import { money } from '../support/budgets';

const KILLS = 100;

describe('budgets of a service that is killed a hundred times', () => {
  let service: KilledService;

  beforeAll(async () => {
    service = await KilledService.start();
  });

  afterAll(() => service.close());

  it('lose no hold and no cost', async () => {
    const { id } = await service.budget({ scope: 'service', limit: '1000' });
    for (let kill = 0; kill < KILLS; kill++) {
      await service.killWhileAllSend();
      await service.settled(id);
    }
    const { spent } = await service.settled(id);
    expect(money(spent)).toBeGreaterThanOrEqual(await service.costOfCompleted());
  }, 1_800_000);
});
