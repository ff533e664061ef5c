import { AttackedService } from '../security/attacked-service';
import { MORE_REFUSED_BODIES, REFUSED_BODIES, type RefusedBody } from '../security/refused-bodies';

/** What one body may cost at the most, all threads together, and for how long everybody else may wait for it. */
const MOST_CPU_MILLISECONDS = 150;
const MOST_HELD_MILLISECONDS = 100;

const WARM_UP = 3;
const REPETITIONS = 7;

/** How long the process may still clean up after a body. */
const REST_MILLISECONDS = 100;

describe('a body that the built service refuses', () => {
  let service: AttackedService;
  const lines: string[] = [];

  beforeAll(async () => {
    service = await AttackedService.start([{ userType: 'admin' }]);
    for (const refused of REFUSED_BODIES) {
      await service.send(0, refused);
    }
  });

  afterAll(async () => {
    process.stdout.write(`${lines.join('\n')}\n`);
    await service.close();
  });

  it.each([...REFUSED_BODIES, ...MORE_REFUSED_BODIES])('costs little and holds nobody up: $what', async (refused) => {
    const body = refused.body();
    const costs: { cpu: number; held: number }[] = [];
    for (let count = 0; count < WARM_UP + REPETITIONS; count++) {
      costs.push(await costOf(refused, body));
    }
    const cpu = quarter(costs.slice(WARM_UP).map((cost) => cost.cpu));
    const held = quarter(costs.slice(WARM_UP).map((cost) => cost.held));
    lines.push(`${refused.what}: ${cpu} ms of CPU, held for ${held} ms`);
    expect(cpu).toBeLessThanOrEqual(MOST_CPU_MILLISECONDS);
    expect(held).toBeLessThanOrEqual(MOST_HELD_MILLISECONDS);
  });

  async function costOf(refused: RefusedBody, body: string): Promise<{ cpu: number; held: number }> {
    // The figure is the longest time since it was read last.
    await service.longestHeldMilliseconds();
    const before = service.cpuMilliseconds();
    await service.send(0, refused, body);
    await new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
    const cpu = service.cpuMilliseconds() - before;
    return { cpu, held: await service.longestHeldMilliseconds() };
  }
});

/** A quarter of the numbers are smaller: what other programs of the machine add is left out. */
function quarter(numbers: number[]): number {
  return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 4)] ?? 0;
}
