import { type WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { ConcurrencyLimiter, FairQueue } from './fair-queue';

const now = new Date('2026-01-31T09:30:00.000Z');

function endpoint(id: number, fields: Partial<WebhookEndpointEntity> = {}): WebhookEndpointEntity {
  return { id, failureCount: 0, heldUntil: null, ...fields } as WebhookEndpointEntity;
}

describe('FairQueue', () => {
  it('gives every endpoint a share of the capacity', () => {
    const { served } = new FairQueue(new ConcurrencyLimiter()).allot([endpoint(1), endpoint(2)], now);
    expect(served.map(({ endpoint: { id }, quota }) => [id, quota])).toEqual([
      [1, 4],
      [2, 4],
    ]);
  });

  it('starts at most fifty deliveries at once, those that have waited longest', () => {
    const endpoints = Array.from({ length: 20 }, (_element, index) => endpoint(index + 1));
    const round = new FairQueue(new ConcurrencyLimiter()).allot(endpoints, now);
    expect(round.served.map(({ quota }) => quota)).toEqual([...Array<number>(12).fill(4), 2]);
    expect(round.steppingBack).toEqual([]);
  });

  it('probes an endpoint after many failures with a single attempt, whatever its history in this process', () => {
    const { served } = new FairQueue(new ConcurrencyLimiter()).allot([endpoint(1, { failureCount: 20 })], now);
    expect(served.map(({ quota }) => quota)).toEqual([1]);
  });

  it('does not call endpoints before their retry time', () => {
    const held = endpoint(1, { heldUntil: new Date(now.getTime() + 1) });
    const free = endpoint(2, { heldUntil: now });
    const round = new FairQueue(new ConcurrencyLimiter()).allot([held, free], now);
    expect(round.held).toEqual([held]);
    expect(round.served.map(({ endpoint: { id } }) => id)).toEqual([2]);
  });

  it('slows down slow endpoints when their share is used up', () => {
    const limiter = new ConcurrencyLimiter();
    for (let id = 1; id <= 128; id++) {
      limiter.begin(id);
      limiter.end(id, false, 5);
      limiter.begin(id);
    }
    const slow = endpoint(1_000);
    limiter.begin(slow.id);
    limiter.end(slow.id, false, 5);
    const round = new FairQueue(limiter).allot([slow, endpoint(1_001)], now);
    expect(round.steppingBack).toEqual([slow]);
    expect(round.served.map(({ endpoint: { id } }) => id)).toEqual([1_001]);
  });
});

/** Starts `count` attempts of an endpoint and finishes them all in the same way. */
function attempt(
  limiter: ConcurrencyLimiter,
  endpointId: number,
  count: number,
  isSuccess: boolean,
  milliseconds = 5,
): void {
  for (let n = 0; n < count; n++) {
    limiter.begin(endpointId);
  }
  for (let n = 0; n < count; n++) {
    limiter.end(endpointId, isSuccess, milliseconds);
  }
}

describe('ConcurrencyLimiter', () => {
  it('raises the limit of quick endpoints, up to a maximum', () => {
    const limiter = new ConcurrencyLimiter();
    expect(limiter.quotaOf(1)).toBe(4);
    attempt(limiter, 1, 4, true);
    expect(limiter.quotaOf(1)).toBe(8);
    attempt(limiter, 1, 100, true);
    expect(limiter.quotaOf(1)).toBe(32);
  });

  it('limits failing and slow endpoints to one concurrent attempt', () => {
    const limiter = new ConcurrencyLimiter();
    attempt(limiter, 1, 3, false);
    expect(limiter.quotaOf(1)).toBe(1);
    attempt(limiter, 2, 30, true);
    attempt(limiter, 2, 6, true, 14_000);
    expect(limiter.quotaOf(2)).toBe(1);
  });

  it('counts running attempts, and ignores interrupted ones', () => {
    const limiter = new ConcurrencyLimiter();
    const free = limiter.free;
    for (let n = 0; n < 4; n++) {
      limiter.begin(1);
    }
    expect([limiter.quotaOf(1), limiter.full.has(1), limiter.free]).toEqual([0, true, free - 4]);
    limiter.end(1, null, 5);
    expect([limiter.quotaOf(1), limiter.full.has(1), limiter.free]).toEqual([1, false, free - 3]);
  });

  it('reserves half of the capacity for quick endpoints', () => {
    const limiter = new ConcurrencyLimiter();
    const room = limiter.free;
    let held = 0;
    for (let endpointId = 1; endpointId <= room; endpointId++) {
      attempt(limiter, endpointId, 1, false);
      if (limiter.quotaOf(endpointId) > 0) {
        limiter.begin(endpointId);
        held++;
      }
    }
    expect(held).toBe(room / 2);
    expect(limiter.quotaOf(room + 1)).toBe(4);
  });
});
