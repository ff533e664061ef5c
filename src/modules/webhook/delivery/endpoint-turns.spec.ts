import { type WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { EndpointPace } from './endpoint-pace';
import { EndpointTurns } from './endpoint-turns';

const now = new Date('2026-01-31T09:30:00.000Z');

function endpoint(id: number, fields: Partial<WebhookEndpointEntity> = {}): WebhookEndpointEntity {
  return { id, failureCount: 0, heldUntil: null, ...fields } as WebhookEndpointEntity;
}

describe('EndpointTurns', () => {
  it('gives every endpoint a part of the room', () => {
    const { requests } = new EndpointTurns(new EndpointPace()).allot([endpoint(1), endpoint(2)], now);
    expect(requests.map(({ endpoint: { id }, quota }) => [id, quota])).toEqual([
      [1, 4],
      [2, 4],
    ]);
  });

  it('takes no more than fifty deliveries at once, those of the longest waiting', () => {
    const endpoints = Array.from({ length: 20 }, (_element, index) => endpoint(index + 1));
    const turns = new EndpointTurns(new EndpointPace()).allot(endpoints, now);
    expect(turns.requests.map(({ quota }) => quota)).toEqual([...Array<number>(12).fill(4), 2]);
    expect(turns.steppingBack).toEqual([]);
  });

  it('probes an endpoint that has failed for long with a single attempt, whatever this process knows of it', () => {
    const { requests } = new EndpointTurns(new EndpointPace()).allot([endpoint(1, { failureCount: 20 })], now);
    expect(requests.map(({ quota }) => quota)).toEqual([1]);
  });

  it('leaves endpoints alone until they may be called again', () => {
    const held = endpoint(1, { heldUntil: new Date(now.getTime() + 1) });
    const free = endpoint(2, { heldUntil: now });
    const turns = new EndpointTurns(new EndpointPace()).allot([held, free], now);
    expect(turns.held).toEqual([held]);
    expect(turns.requests.map(({ endpoint: { id } }) => id)).toEqual([2]);
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
    expect(turns.requests.map(({ endpoint: { id } }) => id)).toEqual([1_001]);
  });
});
