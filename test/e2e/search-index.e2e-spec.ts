// @databases mariadb mysql: statements written by hand
import { In } from 'typeorm';
import { Database } from '../../src/database/database';
import { GramReader } from '../../src/integrations/text-index/grams';
import { toDocuments } from '../../src/integrations/text-index/segment-documents';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { MessageEntity, SEARCH_TABLES } from '../../src/modules/chat/conversations/message.entity';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { watchNormalizing } from '../support/normalized-marks';
import { ResponsesClient } from '../support/open-responses/responses-client';
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
  ...[
    '東京ﾀﾜｰ',
    '１２３４５',
    'ガギグ',
    '한국어',
    'नमस्ते',
    'العَرَبِيَّة',
    '100%_!',
    'a long 👩‍👩‍👧 family',
    'x'.repeat(70_000) + ' end',
    ' ',
    'ab',
  ],
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
    'タワー',
    '23４5',
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

/** Internal functions of the index. */
interface Inner {
  collector: { segmentDocuments: number };
  builder: { read(ids: Int32Array, start: number): Promise<unknown> };
}

describe('the search index', () => {
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
  /** Runs until only this number of messages is left, whether this test or the service's own loop indexes them. */
  const fill = async (left = 0) => {
    await eventually(async () => {
      // Messages from the previous round are old enough then.
      app.advanceClock(180_000);
      while (await app.app.get(MessageIndex).fill());
      const full = { isFull: true, isBuilt: false };
      const waiting = await app.app.get(Database).repository(SEARCH_TABLES.segments).countBy(full);
      return (waiting === 0 && (await app.app.get(MessageIndex).lag()) === left) || undefined;
    });
  };
  /** The messages that the index returns for a text; null when it is not ready. */
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

  it('changes no result, from the first message to the last', async () => {
    const before = await Promise.all(NEEDLES.map(find));
    await fill();
    expect((await segments()).map(({ isBuilt }) => isBuilt)).toEqual([true, true, true, false]);
    expect(await named('strasse')).toBeLessThan(24);
    expect(await Promise.all(NEEDLES.map(find))).toEqual(before);
    expect(before.filter((ids) => ids.length > 0).length).toBeGreaterThan(20);
  });

  it('finds messages by the names of their files', async () => {
    const { id } = await client.createChat({ title: 'Else' });
    const body = { parts: [{ ...imageOf(png()), name: 'Zeugnis Lissabon.png' }] };
    expect((await client.send(id, 'Look', { body })).status).toBe(200);
    await app.storeMessages(id, 16);
    await fill();
    expect(await named('zeugnis lissabon')).toBeLessThan(17);
    expect(await find('LISSABON.PNG')).toEqual([id]);
  });

  it('is not needed for messages that are not indexed yet', async () => {
    await fill();
    const { id } = await client.createChat({ title: 'Else' });
    await app.storeMessages(id, 1, 'brand new words');
    const reply = await client.send(id, 'and these are newer');
    expect(reply.status).toBe(200);
    expect([await find('brand new'), await find('are newer')]).toEqual([[id], [id]]);
  });

  it('finds messages outside the trash, on the current branch first', async () => {
    const id = chatIds[0] ?? 0;
    await fill();
    const repository = app.app.get(Database).repository(MessageEntity);
    const messages = await repository.find({ where: { chatId: id }, order: { id: 'ASC' } });
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, { chatId: id }, { isCurrent: false }));
    const match = async () => (await client.request<ChatDto[]>('/chat?q=istanbul')).body[0]?.match;
    expect(await match()).toMatchObject({ version: expect.any(Number) });
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, messages[0]?.id, { isCurrent: true }));
    expect(await match()).toMatchObject({ message_id: messages[0]?.id, version: null });
    expect(await find('istanbul')).toEqual([id]);
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    expect(await find('istanbul')).toEqual([]);
    await client.request(`/chat/${id}/restore`, { method: 'POST' });
    expect(await find('istanbul')).toEqual([id]);
  });

  it('waits for a running reply', async () => {
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

  it('drops an erased conversation, and is rebuilt from the others', async () => {
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

  it('adds nothing of a conversation that is erased while its text is being indexed', async () => {
    const { builder } = inner(app);
    const read = builder.read.bind(builder);
    const erasures: Promise<void>[] = [];
    const spy = jest.spyOn(builder, 'read').mockImplementation(async (...segment) => {
      const texts = await read(...segment);
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

  it('is rebuilt if an earlier version has folded the texts differently, and misses nothing until then', async () => {
    await fill();
    const ids = (await segments()).filter(({ isBuilt }) => isBuilt).map(({ id }) => id);
    const before = await Promise.all(NEEDLES.map(find));
    await app.app.get(Database).write(async (manager) => {
      await manager.update(SEARCH_TABLES.segments, { id: In(ids) }, { isBuilt: true });
      await manager.delete(SEARCH_TABLES.grams, { segmentId: In(ids) });
    });
    expect([await app.app.get(MessageIndex).waiting(), await named('strasse')]).toEqual([3, null]);
    expect(await Promise.all(NEEDLES.map(find))).toEqual(before);
    await fill();
    expect(await app.app.get(MessageIndex).waiting()).toBe(0);
    expect(await named('strasse')).toBeLessThan(24);
    expect(await Promise.all(NEEDLES.map(find))).toEqual(before);
  });

  it('reads texts of only marks in short parts, and yields between them', async () => {
    const program = new ResponsesClient(app.origin, client.token, 'General assistant');
    const { id } = (await program.request<{ id: string }>('/conversations', { body: {} })).body;
    const marks = ('\u0315'.repeat(16_384) + '\u0316'.repeat(16_384)).repeat(10);
    const longestRow = watchNormalizing();
    for (const word of ['first', 'second']) {
      const items = [{ role: 'user', content: `${word} ${marks} end` }];
      expect((await program.request(`/conversations/${id}/items`, { body: { items } })).status).toBe(200);
    }
    const { read } = GramReader.prototype;
    let inTurn = 0;
    let mostInTurn = 0;
    jest.spyOn(GramReader.prototype, 'read').mockImplementation(function (this: GramReader, piece: string) {
      inTurn += piece.length;
      mostInTurn = Math.max(mostInTurn, inTurn);
      setImmediate(() => (inTurn = 0));
      read.call(this, piece);
    });
    await fill();
    expect(mostInTurn).toBeGreaterThan(1_000);
    expect(mostInTurn).toBeLessThanOrEqual(2 * 8_192);
    expect(longestRow()).toBeLessThanOrEqual(30);
    expect(await find('second')).toEqual([Number(id.slice('conv_'.length))]);
    jest.restoreAllMocks();
  });

  it('keeps nothing of an erased user', async () => {
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
