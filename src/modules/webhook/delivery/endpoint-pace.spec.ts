import { EndpointPace } from './endpoint-pace';

/** Begins `count` attempts of an endpoint and ends them all in the same way. */
function attempt(pace: EndpointPace, endpointId: number, count: number, isSuccess: boolean, milliseconds = 5): void {
  for (let n = 0; n < count; n++) {
    pace.begin(endpointId);
  }
  for (let n = 0; n < count; n++) {
    pace.end(endpointId, isSuccess, milliseconds);
  }
}

describe('EndpointPace', () => {
  it('gives quick endpoints more and more, up to a bound', () => {
    const pace = new EndpointPace();
    expect(pace.quotaOf(1)).toBe(4);
    attempt(pace, 1, 4, true);
    expect(pace.quotaOf(1)).toBe(8);
    attempt(pace, 1, 100, true);
    expect(pace.quotaOf(1)).toBe(32);
  });

  it('takes failing and slow endpoints back to one attempt at a time', () => {
    const pace = new EndpointPace();
    attempt(pace, 1, 3, false);
    expect(pace.quotaOf(1)).toBe(1);
    attempt(pace, 2, 30, true);
    attempt(pace, 2, 6, true, 14_000);
    expect(pace.quotaOf(2)).toBe(1);
  });

  it('counts what is under way, and learns nothing from attempts that were interrupted', () => {
    const pace = new EndpointPace();
    const free = pace.free;
    for (let n = 0; n < 4; n++) {
      pace.begin(1);
    }
    expect([pace.quotaOf(1), pace.full.has(1), pace.free]).toEqual([0, true, free - 4]);
    pace.end(1, null, 5);
    expect([pace.quotaOf(1), pace.full.has(1), pace.free]).toEqual([1, false, free - 3]);
  });

  it('leaves half of the room to quick endpoints', () => {
    const pace = new EndpointPace();
    const room = pace.free;
    let held = 0;
    for (let endpointId = 1; endpointId <= room; endpointId++) {
      attempt(pace, endpointId, 1, false);
      if (pace.quotaOf(endpointId) > 0) {
        pace.begin(endpointId);
        held++;
      }
    }
    expect(held).toBe(room / 2);
    expect(pace.quotaOf(room + 1)).toBe(4);
  });
});
