import { type WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { EndpointPace, EndpointTurns } from './endpoint-turns';

const now = new Date('2026-01-31T09:30:00.000Z');

function endpoint(id: number, fields: Partial<WebhookEndpointEntity> = {}): WebhookEndpointEntity {
  return { id, failureCount: 0, heldUntil: null, ...fields } as WebhookEndpointEntity;
}

describe('EndpointTurns', () => {
  it('gives every endpoint a part of the room', () => {
    const { served } = new EndpointTurns(new EndpointPace()).allot([endpoint(1), endpoint(2)], now);
    expect(served.map(({ endpoint: { id }, quota }) => [id, quota])).toEqual([
      [1, 4],
      [2, 4],
    ]);
  });

  it('takes no more than fifty deliveries at once, those of the longest waiting', () => {
    const endpoints = Array.from({ length: 20 }, (_element, index) => endpoint(index + 1));
    const turns = new EndpointTurns(new EndpointPace()).allot(endpoints, now);
    expect(turns.served.map(({ quota }) => quota)).toEqual([...Array<number>(12).fill(4), 2]);
    expect(turns.steppingBack).toEqual([]);
  });

  it('probes an endpoint that has failed for long with a single attempt, whatever this process knows of it', () => {
    const { served } = new EndpointTurns(new EndpointPace()).allot([endpoint(1, { failureCount: 20 })], now);
    expect(served.map(({ quota }) => quota)).toEqual([1]);
  });

  it('leaves endpoints alone until they may be called again', () => {
    const held = endpoint(1, { heldUntil: new Date(now.getTime() + 1) });
    const free = endpoint(2, { heldUntil: now });
    const turns = new EndpointTurns(new EndpointPace()).allot([held, free], now);
    expect(turns.held).toEqual([held]);
    expect(turns.served.map(({ endpoint: { id } }) => id)).toEqual([2]);
  });

  it('has slow endpoints step back when the room for them is taken', () => {
    const pace = new EndpointPace();
    for (let id = 1; id <= 128; id++) {
      pace.begin(id);
      pace.end(id, false, 5);
      pace.begin(id);
    }
    const slow = endpoint(1_000);
    pace.begin(slow.id);
    pace.end(slow.id, false, 5);
    const turns = new EndpointTurns(pace).allot([slow, endpoint(1_001)], now);
    expect(turns.steppingBack).toEqual([slow]);
    expect(turns.served.map(({ endpoint: { id } }) => id)).toEqual([1_001]);
  });
});

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
