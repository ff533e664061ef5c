import { ServerBreaker } from './server-breaker';

describe('ServerBreaker', () => {
  let now: number;
  let breaker: ServerBreaker;

  const fail = (times: number): void => Array.from({ length: times }).forEach(() => breaker.failed());

  beforeEach(() => {
    now = 0;
    breaker = new ServerBreaker(() => now);
  });

  it('pauses calls to a server after five failures within thirty seconds', () => {
    fail(4);
    now = 30_000;
    fail(1);
    expect(breaker.mayAsk()).toBe(true);
    fail(4);
    expect(breaker.mayAsk()).toBe(false);
  });

  it('allows one call after the pause, and doubles the pause up to a minute', () => {
    fail(5);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      now += pause - 1;
      expect(breaker.mayAsk()).toBe(false);
      now += 1;
      expect([breaker.mayAsk(), breaker.mayAsk()]).toEqual([true, false]);
      breaker.failed();
    }
  });

  it('resets all failures after a success', () => {
    fail(5);
    breaker.succeeded();
    fail(4);
    expect(breaker.mayAsk()).toBe(true);
  });
});
