// @databases mariadb mysql: collation
import { Database } from '../../src/database/database';
import type { AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import { createAdmin, createUser } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { useChatApp } from '../support/use-app';

/** Words of many scripts, and letters with more than the usual two cases. */
const WORDS = [
  ...['İstanbul', 'ISPARTA ısparta', 'ΣΊΣΥΦΟΣ', 'Σίσυφος', 'Straße', 'GROẞ', 'café', 'Việt Nam', 'Привет Мир', 'Ёлка'],
  ...[
    'ქართული',
    'ᲥᲐᲠᲗᲣᲚᲘ',
    'Հայերեն',
    'ⰀⰁⰂ',
    'ⲀⲂⲄ',
    '𐐀𐐨',
    'ᎠᎡꭰ',
    '𞤀𞤢',
    'ǅungla',
    'Å K Ω',
    '旅行の計画',
    'ガギグ',
    '한국어',
  ],
  ...['नमस्ते', 'שָׁלוֹם', 'العَرَبِيَّة', 'ไทยนี้', '👩‍👩‍👧 family', '100%_!', '[a]*?{b}\\^$.|+()'],
];

describe('a search', () => {
  const app = useChatApp();
  let client: ChatClient;

  beforeAll(async () => {
    client = await app.newClient();
  });

  it('finds stored text, by every part, in any case and form', async () => {
    const places: { word: string; titled: number; written: number }[] = [];
    for (const word of WORDS) {
      const titled = await client.createChat({ title: `… ${word.normalize('NFC')} …` });
      const written = await client.createChat({ title: 'Else' });
      await app.storeMessages(written.id, 1, `… ${word.normalize('NFD')} …`);
      places.push({ word, titled: titled.id, written: written.id });
    }
    for (const { word, titled, written } of places) {
      const letters = Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment);
      const middle = letters.slice(letters.length / 3, letters.length).join('');
      for (const q of [word, word.toUpperCase(), word.toLowerCase(), word.normalize('NFD'), middle]) {
        const { body } = await client.request<{ id: number }[]>(`/chat?limit=100&q=${encodeURIComponent(q)}`);
        expect({ q, found: body.map(({ id }) => id) }).toEqual({ q, found: expect.arrayContaining([titled, written]) });
        expect({ q, isNarrow: body.length < places.length }).toEqual({ q, isNarrow: true });
      }
    }
  });

  it.each([
    ['istanbul', 'İstanbul', true],
    ['ISTANBUL', 'i̇stanbul', true],
    ['σίσυφοσ', 'ΣΊΣΥΦΟΣ', true],
    ['σιν', 'ΒΑΣΙΝ', true],
    ['STRASSE', 'Straße', true],
    ['straße', 'STRASSE', true],
    ['risk', 'A risk', true],
    ['cafe', 'café', true],
    ['cafes', 'les cafe\u0301s', true],
    ['Äpfel', 'apfel', true],
    ['елка', 'Ёлка', true],
    ['שלום', 'שָׁלוֹם', true],
    ['العربية', 'العَرَبِيَّة', true],
    ['１２３', '123', true],
    ['123', '１２３', true],
    ['タワー', '東京ﾀﾜｰ', true],
    ['ﾀﾜｰ', '東京タワー', true],
    ['ｶﾞ', 'ガ', true],
    ['カ', 'ガ', false],
    ['カ', 'カ\u3099', false],
    ['नम', 'निम', false],
    ['ไทย', 'ไุทย', false],
    ['a.c', 'abc', false],
    ['мир', 'Рим', false],
  ])('for %j finds %j: %s', async (q, title, isFound) => {
    const other = await app.newClient();
    await other.createChat({ title });
    const { body } = await other.request<unknown[]>(`/chat?q=${encodeURIComponent(q)}`);
    expect(body).toHaveLength(isFound ? 1 : 0);
  });

  it.each(['s', 'ß', 'ﬃ', 'ガ', '\u0301'])('accepts 200 times %j', async (letter) => {
    const other = await app.newClient();
    await other.createChat({ title: letter.repeat(200) });
    const { status, body } = await other.request<unknown[]>(`/chat?q=${encodeURIComponent(letter.repeat(200))}`);
    expect([status, body]).toEqual([200, [expect.anything()]]);
  });

  it.each(['i', 'a', ...(databaseEngine() === 'mysql' ? [] : ['s']), 'я', 'é', 'sé', 'ı', '旅'])(
    'compares a long message of %j with a needle designed for it outside the event loop',
    async (letters) => {
      const other = await app.newClient();
      const chat = await other.createChat({ title: 'Else' });
      const needle = letters.repeat(190 / letters.length);
      await app.storeMessages(chat.id, 3, `${letters.repeat(60_000)}! ${needle}?`);
      const database = app.app.get(Database);
      const statements = jest.spyOn(database.manager.dataSource.logger, 'logQuery');
      const find = async (q: string) =>
        (await other.request<unknown[]>(`/chat?q=${encodeURIComponent(q)}`)).body.length;
      expect([await find(`${needle}?`), await find(`${needle}.`), await find(`${needle.slice(1)}!`)]).toEqual([
        1, 0, 1,
      ]);
      const compared = statements.mock.calls.filter(([statement]) => /REGEXP/.test(statement));
      expect(compared.length > 0).toBe(database.isShared);
    },
  );

  if (databaseEngine() === 'mysql') {
    it('refuses a text for which MySQL would search too long', async () => {
      const other = await app.newClient();
      const chat = await other.createChat({ title: 'Else' });
      await app.storeMessages(chat.id, 1, 's'.repeat(60_000));
      const { status, body } = await other.request(`/chat?q=${'s'.repeat(190)}!`);
      expect([status, body]).toMatchObject([400, { error: { details: { field: 'q', reason: 'too_slow_to_find' } } }]);
    });
  }

  it('finds agents and users alike', async () => {
    const { token } = await createAdmin(app);
    const name = 'Οδηγός ΤΑΞΙΔΙΩΤΗΣ İzmir';
    const made = await call<{ data: AgentDto }>(`${app.url}/agents`, {
      token,
      body: { name, system_prompt: 'You help.' },
    });
    expect(made.status).toBe(201);
    const { user } = await createUser(app, { username: 'ΟΔΥΣΣΕΥΣ_ß_İ', usernameKey: 'οδυσσευς_ss_i̇' });
    const idsOf = async (path: string, q: string) => {
      const url = `${app.url}${path}?size=100&q=${encodeURIComponent(q)}`;
      return (await call<{ data: { items: { id: number }[] } }>(url, { token })).body.data.items.map(({ id }) => id);
    };
    for (const q of ['οδηγόσ', 'οδηγος', 'ταξιδιωτης', 'izmir', 'İZMİR', 'ΟΔΗΓΌΣ', 'ＩＺＭＩＲ']) {
      expect({ q, ids: await idsOf('/agents', q) }).toEqual({ q, ids: [made.body.data.id] });
    }
    for (const q of ['δυσ', 'ΟΔΥΣΣΕΥΣ_ß', 'σευς', 'ευσ_SS_i', 'ß_İ', '＿ß＿']) {
      expect({ q, ids: await idsOf('/admin/users', q) }).toEqual({ q, ids: [user.id] });
    }
  });

  it('runs one at a time for each user, and does not block other users', async () => {
    const [greedy, other] = await Promise.all([app.newClient(), app.newClient()]);
    const ended: string[] = [];
    const search = async (name: string, by: ChatClient): Promise<number> => {
      const { status } = await by.request('/chat?q=penguin');
      ended.push(name);
      return status;
    };
    const index = app.app.get(MessageIndex);
    const original = index.search.bind(index);
    let running = 0;
    let most = 0;
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const spy = jest.spyOn(index, 'search').mockImplementation(async (...parameters) => {
      most = Math.max(most, ++running);
      await isReleased;
      return original(...parameters).finally(() => running--);
    });
    const many = Array.from({ length: 62 }, () => search('greedy', greedy));
    expect(await Promise.race(many)).toBe(429);
    expect(most).toBe(1);
    const single = search('other', other);
    await eventually(() => (app.app.get(Database).isShared ? running === 2 : running === 1));
    release();
    expect(await single).toBe(200);
    expect(new Set(await Promise.all(many))).toEqual(new Set([200, 429]));
    // Before it were refused ones, and ones served before its turn; on a busy machine, responses arrive late.
    expect(ended.indexOf('other')).toBeLessThan(many.length / 2);
    spy.mockRestore();
  });
});
