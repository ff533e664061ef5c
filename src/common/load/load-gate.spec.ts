import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
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

  /** Simulates this number of requests between two checks. @returns the number of accepted requests */
  function arrive(requests: number): number {
    const responses = Array.from({ length: requests }, () => new EventEmitter());
    const taken = responses.filter((response) => gate.takes(response as ServerResponse));
    taken.forEach((response) => response.emit('close'));
    jest.advanceTimersByTime(20);
    return taken.length;
  }

  it('accepts everything while answers are in time', () => {
    for (let look = 0; look < 20; look++) {
      expect(arrive(1_000)).toBe(1_000);
    }
    expect(gate.isOverloaded).toBe(false);
  });

  it('accepts everything again when the load falls', () => {
    lateness = 200;
    for (let look = 0; look < 5; look++) {
      arrive(200);
    }
    expect(arrive(200)).toBeLessThan(200);
    lateness = 0;
    for (let look = 0; look < 60; look++) {
      expect(arrive(1)).toBe(1);
    }
    expect(gate.isOverloaded).toBe(false);
    expect(arrive(1_000)).toBe(1_000);
  });

  it('accepts other requests when the accepted ones wait for long', () => {
    lateness = 200;
    for (let look = 0; look < 5; look++) {
      arrive(200);
    }
    lateness = 0;
    const waiting = () => gate.takes(new EventEmitter() as ServerResponse);
    const taken = () => Array.from({ length: 200 }, waiting).filter(Boolean).length;
    expect(taken()).toBeGreaterThan(1);
    jest.advanceTimersByTime(20);
    // Each check allows one more concurrent request.
    expect(taken()).toBe(1);
    jest.advanceTimersByTime(100);
    expect(taken()).toBeGreaterThan(1);
  });

  it.each([
    ['a burst', [500, 0, 0, 0]],
    ['few requests on a machine that stalls', [10, 10, 10, 10, 10, 10]],
  ])('accepts %s, however late it is answered', (_case, arrivals) => {
    lateness = 1_000;
    for (const requests of arrivals) {
      expect(arrive(requests)).toBe(requests);
    }
    expect(gate.isOverloaded).toBe(false);
  });
});

describe('LoadGate on an event loop with four times its capacity', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['requests of 1 ms in three turns', { cost: 1, turns: 3, pauses: 0 }, 60],
    ['requests of 1 ms in one turn', { cost: 1, turns: 1, pauses: 0 }, 60],
    ['requests of 3 ms in three turns', { cost: 3, turns: 3, pauses: 0 }, 300],
    ['requests of 1 ms on a machine that pauses', { cost: 1, turns: 3, pauses: 0.02 }, 120],
  ])('completes nine tenths of the possible work, and quickly: %s', (_case, load, soon) => {
    const { done, refused, times } = new SimulatedLoop(load).run(4, 10_000);
    const possible = 10_000 / load.cost;
    // The time spent on each refusal is lost.
    expect(done).toBeGreaterThan(0.9 * (possible - (refused * REFUSAL) / load.cost));
    times.sort((one, other) => one - other);
    // Without a gate: a thousand connections, which is one or three seconds.
    expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(soon);
  });

  it.each([1.1, 1.67])('completes as much work, and quickly, when no turn is long: %s times the work', (times) => {
    // A thousand requests in ten turns each keep each turn short, and are half a second old when they finish.
    const result = new SimulatedLoop({ cost: 0.55, turns: 10, pauses: 0 }).run(times, 10_000);
    expect(result.done).toBeGreaterThan((0.95 * 10_000) / 0.55);
    result.times.sort((one, other) => one - other);
    expect(result.times[Math.floor(result.times.length * 0.95)]).toBeLessThan(150);
  });
});

/** Milliseconds for each refusal. */
const REFUSAL = 0.018;
const CONNECTIONS = 1_000;
const LOOK = 20;

interface Load {
  /** Milliseconds for each request, and the number of event-loop turns over which they are spread. */
  cost: number;
  turns: number;
  /** The share of turns in which other work takes 5 to 25 ms. */
  pauses: number;
}

/** Like Node: a turn runs the timers that are due, continues started work, and starts what has arrived. */
class SimulatedLoop {
  private now = 0;
  private look = (): void => undefined;
  private immediates: (() => void)[] = [];
  private readonly gate: LoadGate;
  private seed = 1;

  constructor(private readonly load: Load) {
    jest.spyOn(performance, 'now').mockImplementation(() => this.now);
    jest.spyOn(globalThis, 'setInterval').mockImplementation(((look: () => void) => {
      this.look = look;
      return { unref: () => undefined };
    }) as never);
    jest.spyOn(globalThis, 'setImmediate').mockImplementation(((immediate: () => void) => {
      this.immediates.push(immediate);
    }) as never);
    this.gate = new LoadGate();
  }

  /** @param times the load as a multiple of the capacity, for `milliseconds` */
  run(times: number, milliseconds: number): { done: number; refused: number; times: number[] } {
    const between = this.load.cost / times;
    const result = { done: 0, refused: 0, times: [] as number[] };
    let lookAt = LOOK;
    let nextAt = 0;
    let open = 0;
    let begun: { dueAt: number; left: number; response: EventEmitter }[] = [];
    const waiting: number[] = [];
    while (this.now < milliseconds) {
      if (this.now >= lookAt) {
        this.look();
        lookAt = this.now + LOOK;
      }
      for (; nextAt <= this.now; nextAt -= between * Math.log(1 - this.random())) {
        waiting.push(nextAt);
      }
      const arrived = waiting.splice(0, CONNECTIONS - open);
      const going = begun;
      begun = [];
      const { turns } = this.load;
      for (const request of [
        ...going,
        ...arrived.map((dueAt) => ({ dueAt, left: turns, response: new EventEmitter() })),
      ]) {
        const isNew = request.left === turns;
        open += Number(isNew);
        if (isNew && !this.gate.takes(request.response as ServerResponse)) {
          this.now += REFUSAL;
          result.refused++;
          open--;
          continue;
        }
        this.now += (this.load.cost / turns) * (0.5 + this.random());
        if (--request.left > 0) {
          begun.push(request);
        } else {
          result.done++;
          result.times.push(this.now - request.dueAt);
          open--;
          request.response.emit('close');
        }
      }
      this.immediates.splice(0).forEach((immediate) => immediate());
      if (this.random() < this.load.pauses) {
        this.now += 5 + this.random() * 20;
      }
      if (going.length + arrived.length === 0) {
        this.now = Math.min(lookAt, nextAt);
      }
    }
    return result;
  }

  /** The same sequence in each run (mulberry32). */
  private random(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
