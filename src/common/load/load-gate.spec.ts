import { LoadGate } from './load-gate';

describe('LoadGate', () => {
  let gate: LoadGate;
  let lateness: number;

  beforeEach(() => {
    jest.useFakeTimers();
    gate = new LoadGate();
    lateness = 0;
    gate.addSign(() => lateness);
  });

  afterEach(() => {
    gate.onApplicationShutdown();
    jest.useRealTimers();
  });

  /** So many requests arrive between two looks. @returns how many were taken */
  function arrive(requests: number): number {
    const taken = Array.from({ length: requests }, () => gate.takes()).filter(Boolean).length;
    jest.advanceTimersByTime(20);
    return taken;
  }

  it('takes everything while answers are in time', () => {
    for (let look = 0; look < 20; look++) {
      expect(arrive(1_000)).toBe(1_000);
    }
    expect(gate.isOverloaded).toBe(false);
  });

  it('takes as many as it can answer in time while more come', () => {
    // Each request takes a millisecond.
    let taken = 200;
    for (let look = 0; look < 40; look++) {
      lateness = taken;
      taken = arrive(200);
    }
    expect(gate.isOverloaded).toBe(true);
    expect(taken).toBeGreaterThan(15);
    expect(taken).toBeLessThan(90);
  });

  it('takes everything again when fewer come', () => {
    lateness = 200;
    for (let look = 0; look < 5; look++) {
      arrive(200);
    }
    expect(arrive(200)).toBeLessThan(200);
    lateness = 0;
    for (let look = 0; look < 60; look++) {
      expect(arrive(3)).toBe(3);
    }
    expect(gate.isOverloaded).toBe(false);
    expect(arrive(1_000)).toBe(1_000);
  });

  it.each([
    ['a burst', [500, 0, 0, 0]],
    ['few requests on a machine that stands still', [20, 20, 20, 20, 20, 20]],
  ])('takes %s, however late it is answered', (_case, arrivals) => {
    lateness = 1_000;
    for (const requests of arrivals) {
      expect(arrive(requests)).toBe(requests);
    }
    expect(gate.isOverloaded).toBe(false);
  });
});
