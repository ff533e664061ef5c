import { setTimeout as delay } from 'node:timers/promises';
import { TimeLimit } from './time-limit';

const ended = (limit: TimeLimit) => new Promise((resolve) => limit.signal.addEventListener('abort', resolve));

describe('a time limit', () => {
  it('aborts with the reason of AbortSignal.timeout', async () => {
    const limit = new TimeLimit(1);
    await ended(limit);
    expect(limit.isOver).toBe(true);
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('pauses while a person is waited for, even in two places at the same time, and resumes with the remaining time', async () => {
    const limit = new TimeLimit(60);
    await Promise.all([limit.without(() => delay(100)), limit.without(() => delay(150))]);
    expect(limit.isOver).toBe(false);
    await ended(limit);
  });

  it('does not abort after it has ended, even if a person is still waited for', async () => {
    const limit = new TimeLimit(20);
    const waiting = limit.without(() => delay(10));
    limit.end();
    await waiting;
    await delay(40);
    expect(limit.isOver).toBe(false);
  });
});
