import { type ChatClient, createChatClient, type ReplyEvent } from '../../client/src/index';
import { uniqueContent } from '../../test/support/chat-client';
import { type Cut, CuttingProxy } from '../../test/support/cutting-proxy';
import type { ModelStep } from '../../test/support/model-server/model-server';
import { useChatApp } from '../../test/support/use-app';

const THOUGHTS = ['The old ', 'town, ', 'then.'];
const WORDS = ['Olá ', '👋 to', ' the Alfama, ', 'é', ' the 🏰', ' and', ' more.'];
const EVENTS = 1 + THOUGHTS.length + WORDS.length + 1;

/** What each reader must have received in the end. */
const WHOLE = { starts: 1, thoughts: THOUGHTS.join(''), text: WORDS.join(''), misplaced: 0, end: 'completed' };

/** A new user in their own conversation, behind a proxy that cuts connections. */
interface Reader {
  client: ChatClient;
  /** A client of the same user without the proxy. */
  direct: ChatClient;
  chat_id: number;
  /** The methods of the stream requests. */
  sent: string[];
}

type Read = (reader: Reader, content: string) => Promise<AsyncIterable<ReplyEvent>>;

const ways: Record<string, { method: string; read: Read }> = {
  send: {
    method: 'POST',
    read: ({ client, chat_id }, content) => Promise.resolve(client.send({ chat_id, content })),
  },
  edit: {
    method: 'PUT',
    read: async ({ client, direct, chat_id }, content) => {
      const [message] = await direct.chat.send({ body: { chat_id, content: 'Hello' } });
      return client.edit({ chat_id, message_id: message?.id ?? 0, content });
    },
  },
  regenerate: {
    method: 'POST',
    read: async ({ client, direct, chat_id }, content) => {
      const [, reply] = await direct.chat.send({ body: { chat_id, content } });
      return client.regenerate({ chat_id, message_id: reply?.id ?? 0 });
    },
  },
  join: {
    method: 'GET',
    read: async ({ client, direct, chat_id }, content) => {
      for await (const { type } of direct.send({ chat_id, content })) if (type === 'message_start') break;
      return client.join(chat_id, { offset: 0 });
    },
  },
};

describe('replies through the client', () => {
  const app = useChatApp();
  let proxy: CuttingProxy;

  beforeAll(async () => {
    proxy = await CuttingProxy.start(app.origin);
    const pieces: ModelStep[] = [...THOUGHTS.map((reasoning) => ({ reasoning })), ...WORDS.map((text) => ({ text }))];
    await app.model.script({ key: 'Lisbon', steps: pieces.flatMap((piece) => [piece, { delay: 2 }]) });
    // Reasoning and text in turns.
    const turns = WORDS.flatMap((text, index): ModelStep[] => [
      ...THOUGHTS.slice(index, index + 1).map((reasoning) => ({ reasoning })),
      { text },
    ]);
    await app.model.script({ key: 'Porto', steps: turns.flatMap((piece) => [piece, { delay: 2 }]) });
  });

  afterAll(() => proxy.close());

  // The client waits for seconds between its connections, so the other tests run during that time.
  let often: Map<string, ReturnType<typeof readThrough>>;

  beforeAll(() => {
    const cuts = Array.from({ length: 6 }, (): Cut => '2+0');
    often = new Map(Object.keys(ways).map((way) => [way, readThrough(way, cuts)]));
    // The test that awaits a reader reports its failure.
    often.forEach((reading) => void reading.catch(() => undefined));
  });

  describe.each(Object.keys(ways))('of %s', (way) => {
    it.each([0, 22])('are complete when the connection breaks after any event and %i bytes', async (bytes) => {
      const cuts = Array.from({ length: EVENTS }, (_value, events): Cut => `${events}+${bytes}`);
      const seen = await Promise.all(cuts.map((cut) => readThrough(way, [cut])));
      expect(seen.map(({ summary }) => summary)).toEqual(cuts.map(() => WHOLE));
      // A reply with a response is joined, and its request is never repeated.
      expect(new Set(seen.map(({ sent }) => sent[0]))).toEqual(new Set([ways[way]?.method]));
      expect(new Set(seen.flatMap(({ sent }) => sent.slice(1)))).toEqual(new Set(['GET']));
    });

    it('are complete when each connection breaks after its second event', async () => {
      const seen = await often.get(way);
      expect(seen?.summary).toEqual(WHOLE);
      expect(seen?.messages).toBe(2);
    });
  });

  it('are complete when reasoning and text alternate', async () => {
    const cuts = Array.from({ length: EVENTS }, (_value, events): Cut => `${events}+0`);
    const seen = await Promise.all(cuts.map((cut) => readThrough('send', [cut], 'Porto')));
    expect(seen.map(({ summary }) => summary)).toEqual(cuts.map(() => WHOLE));
  });

  it.each<Cut>(['unsent', 'unanswered'])('are requested once when the first requests are %s', async (cut) => {
    const { summary, sent, messages } = await readThrough('send', [cut, cut]);
    expect(summary).toEqual(WHOLE);
    expect(sent).toEqual(['POST', 'POST', 'POST']);
    expect(messages).toBe(2);
  });

  it('are requested once by two calls with one key', async () => {
    const { direct, chat_id } = await newReader([]);
    const options = { idempotencyKey: uniqueContent('key').replace(' ', '-') };
    for (const _call of ['first', 'second']) {
      const events: ReplyEvent[] = [];
      for await (const event of direct.send({ chat_id, content: 'Lisbon' }, options)) events.push(event);
      expect(summaryOf(events)).toEqual(WHOLE);
    }
    expect((await direct.chat.read({ path: { chat_id } })).message_count).toBe(2);
  });

  async function readThrough(way: string, cuts: Cut[], town = 'Lisbon') {
    const reader = await newReader(cuts);
    const events: ReplyEvent[] = [];
    const reply = await ways[way]?.read(reader, uniqueContent(town));
    for await (const event of reply ?? []) events.push(event);
    const { message_count: messages } = await reader.direct.chat.read({ path: { chat_id: reader.chat_id } });
    return { summary: summaryOf(events), sent: reader.sent, messages };
  }

  async function newReader(cuts: Cut[]): Promise<Reader> {
    const { token: accessToken } = await app.newClient();
    const sent: string[] = [];
    const client = createChatClient({ baseUrl: proxy.origin, accessToken, fetch: CuttingProxy.fetch(cuts, sent) });
    const direct = createChatClient({ baseUrl: app.origin, accessToken });
    return { client, direct, chat_id: (await direct.chat.create({ body: {} })).id, sent };
  }
});

function summaryOf(events: ReplyEvent[]): typeof WHOLE {
  const summary = { ...WHOLE, starts: 0, thoughts: '', text: '', end: '' };
  for (const event of events) {
    if (event.type === 'message_start') summary.starts += 1;
    if (event.type === 'reasoning') summary.thoughts += event.text;
    if (event.type === 'delta') {
      summary.text += event.text;
      if (event.offset !== summary.text.length) summary.misplaced += 1;
    }
    if (event.type === 'message_end') summary.end = event === events.at(-1) ? event.status : 'not the last';
  }
  return summary;
}
