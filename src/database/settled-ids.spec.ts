import { fake } from '../../test/support/fake';
import { SettledIds } from './settled-ids';
import type { SharedClock } from './shared-clock';

function setUp(): { ids: SettledIds; at: (seconds: number) => void } {
  let seconds = 0;
  const ids = new SettledIds(fake<SharedClock>({ now: () => new Date(seconds * 1_000) }));
  return { ids, at: (time) => (seconds = time) };
}

describe('ids below which no new row appears', () => {
  it('are the ids seen two minutes ago', () => {
    const { ids, at } = setUp();
    expect(ids.limit).toBeNull();
    ids.see(7);
    at(60);
    ids.see(9);
    at(119);
    expect(ids.limit).toBeNull();
    at(120);
    expect(ids.limit).toBe(7);
    at(180);
    expect(ids.limit).toBe(9);
    at(999);
    expect(ids.limit).toBe(9);
  });

  it('do not decrease when the highest row is deleted', () => {
    const { ids, at } = setUp();
    ids.see(9);
    at(60);
    ids.see(7);
    at(300);
    expect(ids.limit).toBe(9);
  });

  it('advance however often they are read', () => {
    const { ids, at } = setUp();
    for (let second = 0; second <= 150; second++) {
      at(second);
      ids.see(second);
    }
    expect(ids.limit).toBeGreaterThanOrEqual(20);
    expect(ids.limit).toBeLessThanOrEqual(30);
  });
});
