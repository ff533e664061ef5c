// @databases mariadb: statements written by hand
import { Database } from '../../src/database/database';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';

describe('the cost of tools', () => {
  const { app, client, chatWith, calling, saying } = useActing();

  /** The statements of a later reply in its conversation. */
  async function statementsOf(chatId: number, prepare: (key: string) => Promise<unknown>): Promise<string[]> {
    const first = uniqueContent();
    await saying(first, 'Yes.');
    await client.send(chatId, first);
    const key = uniqueContent();
    await prepare(key);
    await saying(key, 'Done.');
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    await client.send(chatId, key);
    const statements = log.mock.calls.map(([sql]) => sql);
    log.mockRestore();
    return statements;
  }

  const ofTools = (statements: readonly string[]): string[] => statements.filter((sql) => /\btool_\w+/.test(sql));

  it('is no query of tool tables for an agent without tools', async () => {
    const statements = await statementsOf((await client.createChat()).id, () => Promise.resolve());
    expect(statements.some((sql) => /^UPDATE "?`?chat_messages/.test(sql))).toBe(true);
    expect(ofTools(statements)).toEqual([]);
  });

  it('is no such query either for a reply without calls', async () => {
    const chatId = await chatWith([{ name: 'calculate' }, { name: 'book' }]);
    expect(ofTools(await statementsOf(chatId, () => Promise.resolve()))).toEqual([]);
  });

  it('is a few queries for a call', async () => {
    const chatId = await chatWith([{ name: 'calculate' }]);
    const statements = await statementsOf(chatId, (key) => calling(key, ['calculate', { expression: '1' }]));
    expect(ofTools(statements).length).toBeGreaterThan(3);
  });
});
