import { setTimeout as delay } from 'node:timers/promises';
import { type ChatClient, createChatClient, type FeedEvent } from '../../client/src/index';
import { type Cut, CuttingProxy } from '../../test/support/cutting-proxy';
import { useClient, useOwnChatApp } from '../../test/support/use-app';

describe('events through the client', () => {
  const app = useOwnChatApp();
  const user = useClient(app);
  let proxy: CuttingProxy;
  beforeAll(async () => {
    proxy = await CuttingProxy.start(app.origin);
  });
  afterAll(() => proxy.close());

  function clientOf(cuts: Cut[], sent: string[] = []): ChatClient {
    return createChatClient({ baseUrl: proxy.origin, accessToken: user.token, fetch: CuttingProxy.fetch(cuts, sent) });
  }

  /** Reads this number of events, and calls `begun` once the feed is open. */
  async function read(client: ChatClient, count: number, begun: () => Promise<unknown>): Promise<FeedEvent[]> {
    const seen: FeedEvent[] = [];
    let work: Promise<unknown> | undefined;
    const onConnection = (state: 'open' | 'lost'): void => {
      if (state === 'open') work ??= begun();
    };
    for await (const event of client.events({ kinds: ['chat.created'], onConnection })) {
      seen.push(event);
      if (seen.length === count) break;
    }
    await work;
    return seen;
  }

  it.each<[string, Cut[]]>([
    ['whole', []],
    ['cut before, between and within events', ['unanswered', '1+0', '2+15', '3+1', '1+40', '2+0']],
    ['cut before they are sent', ['unsent', '3+100', 'unsent']],
  ])('arrive once and in order over connections that are %s', async (_way, cuts) => {
    const sent: string[] = [];
    const made: number[] = [];
    const seen = await read(clientOf(cuts, sent), 8, async () => {
      for (let n = 0; n < 8; n++) {
        made.push((await user.createChat()).id);
        await delay(30);
      }
    });
    const told = seen.map((event): unknown => (event.type === 'reset' ? event.type : event.data.chat_id));
    expect(told).toEqual(made);
    expect(sent.length).toBe(cuts.length + 1);
    const places = seen.map(({ place }) => place);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  it('resume from a stored position', async () => {
    const client = clientOf([]);
    const [first] = await read(client, 1, () => user.createChat());
    const { id } = await user.createChat();
    for await (const event of client.events({ after: first!.place })) {
      expect(event).toMatchObject({ type: 'chat.created', data: { chat_id: id } });
      break;
    }
  });

  it('report that events may be missing', async () => {
    for await (const event of clientOf([]).events({ after: 1 })) {
      expect(event).toEqual({ type: 'reset', place: expect.any(Number) });
      break;
    }
  });

  it('stop with the abort reason of the caller, and when the session ends', async () => {
    const controller = new AbortController();
    const reading = read(clientOf([]), 1, () => Promise.resolve());
    const leaving = (async () => {
      for await (const event of clientOf([]).events({ signal: controller.signal })) expect(event).toBeUndefined();
    })();
    await delay(100);
    controller.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    await user.request('/auth/logout', { method: 'POST' });
    await expect(reading).rejects.toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
  });

  it('are refused at once for an unknown event type', async () => {
    const reading = (async () => {
      for await (const event of clientOf([]).events({ kinds: ['nothing.at_all'] })) expect(event).toBeUndefined();
    })();
    await expect(reading).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });
});
