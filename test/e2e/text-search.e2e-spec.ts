import { Database } from '../../src/database/database';
import type { AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import { createAdmin, createUser } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { call } from '../support/http';
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

  it('finds what is stored, by every part of it, in any case and form', async () => {
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
    ['cafe', 'café', false],
    ['apfel', 'Äpfel', false],
    ['a.c', 'abc', false],
    ['мир', 'Рим', false],
  ])('for %j finds %j: %s', async (q, title, isFound) => {
    const other = await app.newClient();
    await other.createChat({ title });
    const { body } = await other.request<unknown[]>(`/chat?q=${encodeURIComponent(q)}`);
    expect(body).toHaveLength(isFound ? 1 : 0);
  });

  it.each(['i', 'a', 's', 'я', 'é', 'sé', 'ı', '旅'])(
    'compares a long message of %j with a needle made for it outside of the event loop',
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
      const compared = statements.mock.calls.filter(([statement]) => /content. (LIKE|GLOB)|LOWER/.test(statement));
      expect(compared.length > 0).toBe(database.isShared);
    },
  );

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
    for (const q of ['οδηγόσ', 'ταξιδιωτης', 'izmir', 'İZMİR', 'ΟΔΗΓΌΣ']) {
      expect({ q, ids: await idsOf('/agents', q) }).toEqual({ q, ids: [made.body.data.id] });
    }
    for (const q of ['δυσ', 'ΟΔΥΣΣΕΥΣ_ß', 'σευς', 'ευσ_SS_i', 'ß_İ']) {
      expect({ q, ids: await idsOf('/admin/users', q) }).toEqual({ q, ids: [user.id] });
    }
  });
});
