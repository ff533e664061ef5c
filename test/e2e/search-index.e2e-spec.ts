import { Database } from '../../src/database/database';
import { toDocuments } from '../../src/integrations/text-index/segment-documents';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { MessageEntity, SEARCH_TABLES } from '../../src/modules/chat/conversations/message.entity';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { imageOf, png } from '../support/sent-images';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useOwnChatApp } from '../support/use-app';

const TEXTS = [
  ...[
    'İstanbul',
    'ΣΊΣΥΦΟΣ',
    'Σίσυφος',
    'Straße',
    'STRASSE',
    'cafe\u0301',
    'café',
    'Việt Nam',
    'Привет Мир',
    '旅行の計画',
  ],
  ...['ガギグ', '한국어', 'नमस्ते', 'العَرَبِيَّة', '100%_!', 'a long 👩‍👩‍👧 family', 'x'.repeat(70_000) + ' end', ' ', 'ab'],
];
const NEEDLES = [
  ...[
    'istanbul',
    'İSTAN',
    'σίσυφοσ',
    'strasse',
    'traß',
    'CAFÉ',
    'cafe',
    'fe',
    'việt',
    'привет',
    '旅行',
    '行の計',
    '旅',
    'ギグ',
  ],
  ...['한국', '국', 'नम', 'عر', '100%', '%_!', 'family', '👩‍👧', 'xx end', 'x'.repeat(190), 'message 1', 'e', 'nowhere'],
];

/** What the index keeps to itself. */
interface Inner {
  collector: { segmentDocuments: number };
  builder: { read(ids: Int32Array): Promise<Map<number, number[]>> };
}

describe('the index of the search', () => {
  const app = useOwnChatApp();
  let client: ChatClient;
  let userId: number;
  let chatIds: number[];

  const inner = (of: Pick<typeof app, 'app'>) => of.app.get<unknown, Inner>(MessageIndex);
  const find = async (q: string) =>
    (await client.request<{ id: number }[]>(`/chat?limit=100&q=${encodeURIComponent(q)}`)).body.map(({ id }) => id);
  const segments = (of = userId) =>
    app.app
      .get(Database)
      .repository(SEARCH_TABLES.segments)
      .find({ where: { ownerId: of }, order: { id: 'ASC' } });
  const grams = async (ids: number[]) => {
    const rows = await app.app.get(Database).repository(SEARCH_TABLES.grams).find();
    return rows.filter(({ segmentId }) => ids.includes(segmentId)).length;
  };
  /** Until only so many messages are left, whoever of this test and the service's own loop does it. */
  const fill = async (left = 0) => {
    await eventually(async () => {
      // What was seen in the round before is old enough then.
      app.advanceClock(180_000);
      while (await app.app.get(MessageIndex).fill());
      const full = { isFull: true, isBuilt: false };
      const waiting = await app.app.get(Database).repository(SEARCH_TABLES.segments).countBy(full);
      return (waiting === 0 && (await app.app.get(MessageIndex).lag()) === left) || undefined;
    });
  };
  /** The messages that the index names for a text; null when it does not serve. */
  const named = async (text: string) => {
    const answer = await app.app.get(MessageIndex).candidates(userId, text);
    return answer && answer.candidates.groupIds.flatMap((id) => [...answer.candidates.of(id)]).length;
  };

  beforeAll(() => (inner(app).collector.segmentDocuments = 16));

  beforeEach(async () => {
    client = await app.newClient();
    userId = (await client.request<{ id: number }>('/auth/me')).body.id;
    chatIds = [];
    for (const text of TEXTS) {
      const { id } = await client.createChat({ title: 'Else' });
      await app.storeMessages(id, 3, `about ${text} here`);
      chatIds.push(id);
    }
  });

  it('changes no answer, from the first message to the last', async () => {
    const before = await Promise.all(NEEDLES.map(find));
    await fill();
    expect((await segments()).map(({ isBuilt }) => isBuilt)).toEqual([true, true, true, false]);
    expect(await named('strasse')).toBeLessThan(20);
    expect(await Promise.all(NEEDLES.map(find))).toEqual(before);
    expect(before.filter((ids) => ids.length > 0).length).toBeGreaterThan(20);
  });

  it('names messages by the names of their files', async () => {
    const { id } = await client.createChat({ title: 'Else' });
    const body = { parts: [{ ...imageOf(png()), name: 'Zeugnis Lissabon.png' }] };
    expect((await client.send(id, 'Look', { body })).status).toBe(200);
    await app.storeMessages(id, 16);
    await fill();
    expect(await named('zeugnis lissabon')).toBeLessThan(17);
    expect(await find('LISSABON.PNG')).toEqual([id]);
  });

  it('is not needed for what is not in it yet', async () => {
    await fill();
    const { id } = await client.createChat({ title: 'Else' });
    await app.storeMessages(id, 1, 'brand new words');
    const reply = await client.send(id, 'and these are newer');
    expect(reply.status).toBe(200);
    expect([await find('brand new'), await find('are newer')]).toEqual([[id], [id]]);
  });

  it('finds the messages of the current line only, outside of the trash', async () => {
    const id = chatIds[0] ?? 0;
    await fill();
    const repository = app.app.get(Database).repository(MessageEntity);
    const messages = await repository.find({ where: { chatId: id }, order: { id: 'ASC' } });
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, { chatId: id }, { isCurrent: false }));
    expect(await find('istanbul')).toEqual([]);
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, messages[0]?.id, { isCurrent: true }));
    expect(await find('istanbul')).toEqual([id]);
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    expect(await find('istanbul')).toEqual([]);
    await client.request(`/chat/${id}/restore`, { method: 'POST' });
    expect(await find('istanbul')).toEqual([id]);
  });

  it('waits for a reply that is being written', async () => {
    await fill();
    const id = chatIds[1] ?? 0;
    await app.storeMessages(id, 4, 'one more');
    const rows = app.app.get(Database).repository(MessageEntity);
    const last = await rows.findOneOrFail({ where: { chatId: id }, order: { id: 'DESC' } });
    const change = (status: 'streaming' | 'completed', content: string) =>
      app.app.get(Database).write((manager) => manager.update(MessageEntity, last.id, { status, content }));
    await change('streaming', 'half');
    await fill(1);
    expect(await app.app.get(MessageIndex).lag()).toBe(1);
    await change('completed', 'half and the whole');
    expect(await find('the whole')).toEqual([id]);
    await fill();
    expect(await app.app.get(MessageIndex).lag()).toBe(0);
    expect(await find('the whole')).toEqual([id]);
  });

  it('loses a conversation that is erased, and is built again from the others', async () => {
    await fill();
    const erased = chatIds[3] ?? 0;
    const with_ = (await segments()).filter((segment) =>
      toDocuments(segment).some(({ groupId }) => groupId === erased),
    );
    expect(await grams(with_.map(({ id }) => id))).toBeGreaterThan(0);
    await app.app.get(ChatRetention).erase([erased]);
    expect(await grams(with_.map(({ id }) => id))).toBe(0);
    expect((await segments()).flatMap(toDocuments).filter(({ groupId }) => groupId === erased)).toEqual([]);
    expect(await find('strasse')).toEqual([chatIds[4]]);
    await fill();
    expect((await segments()).map(({ isBuilt }) => isBuilt)).toEqual([true, true, true, false]);
    expect(await find('strasse')).toEqual([chatIds[4]]);
    expect(await find('istanbul')).toEqual([chatIds[0]]);
  });

  it('gets nothing of a conversation that is erased while its text is being indexed', async () => {
    const { builder } = inner(app);
    const read = builder.read.bind(builder);
    const erasures: Promise<void>[] = [];
    const spy = jest.spyOn(builder, 'read').mockImplementation(async (ids) => {
      const texts = await read(ids);
      erasures.push(app.app.get(ChatRetention).erase(chatIds));
      await Promise.all(erasures);
      return texts;
    });
    await fill();
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
    expect(await segments()).toEqual([]);
    const rows = await app.app
      .get(Database)
      .repository(SEARCH_TABLES.grams)
      .find({ select: { segmentId: true } });
    const known = await app.app
      .get(Database)
      .repository(SEARCH_TABLES.segments)
      .find({ select: { id: true } });
    const ids = new Set(known.map(({ id }) => id));
    expect(rows.filter(({ segmentId }) => !ids.has(segmentId))).toEqual([]);
  });

  it('keeps nothing of a user who is erased', async () => {
    await fill();
    const ids = (await segments()).map(({ id }) => id);
    expect(await grams(ids)).toBeGreaterThan(0);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(userId);
    }
    await fill();
    expect([await segments(), await grams(ids)]).toEqual([[], 0]);
  });

  it('has each message once, however many instances fill it', async () => {
    const second = databaseEngine() === 'sqlite' ? undefined : await startInstance(app.environment);
    if (second) {
      inner(second).collector.segmentDocuments = 16;
    }
    const indexes = [app, ...(second ? [second] : [])].map((one) => one.app.get(MessageIndex));
    for (const index of indexes) {
      await index.fill();
    }
    second?.advanceClock(600_000);
    app.advanceClock(180_000);
    await Promise.all(
      [...indexes, ...indexes].map(async (index) => {
        while (await index.fill());
      }),
    );
    await fill();
    await second?.app.close();
    const stored = await app.app
      .get(Database)
      .repository(MessageEntity)
      .find({ select: { id: true }, order: { id: 'ASC' } });
    const all = await app.app.get(Database).repository(SEARCH_TABLES.segments).find();
    const ids = all.flatMap(toDocuments).map(({ id }) => id);
    expect(ids.toSorted((one, other) => one - other)).toEqual(stored.map(({ id }) => id));
    expect((await segments()).map(({ isBuilt }) => isBuilt)).toEqual([true, true, true, false]);
    expect(await find('привет')).toEqual([chatIds[8]]);
  });
});
