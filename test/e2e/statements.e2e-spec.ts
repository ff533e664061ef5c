// @databases mariadb mysql: statements written by hand
import { type EntityManager, In } from 'typeorm';
import { driverCode, isTransactionConflict, isUniqueViolation } from '../../src/database/database.errors';
import { findRows } from '../../src/database/statements/find';
import { insertReturning, insertRow, insertRows } from '../../src/database/statements/insert';
import { RowQuery } from '../../src/database/statements/query';
import { runForRow, runStatement } from '../../src/database/statements/run-statement';
import { updateRows } from '../../src/database/statements/update';
import { addToCounters } from '../../src/database/statements/upsert-counters';
import { Counter, Sample, useSampleDatabase } from '../support/sample-tables';

const EMPTY: Omit<Sample, 'id'> = {
  text: null,
  longText: null,
  whole: null,
  bigNumber: null,
  fraction: null,
  isTrue: null,
  json: null,
  happenedAt: null,
};

const SAMPLE = new RowQuery(Sample, ({ id }) => `WHERE ${id} = ?`);
const TEXTS = new RowQuery(Sample, ({ text, id }) => `WHERE ${text} = ? ORDER BY ${id}`, ['longText', 'id']);
const LOCKED = new RowQuery(Counter, ({ name }, lock) => `WHERE ${name} = ?${lock}`);

describe('the statements of hot paths', () => {
  const sample = useSampleDatabase();

  const insert = (row: Partial<Sample>): Promise<number> =>
    sample.database.write((manager) => insertRow(manager, Sample, { ...EMPTY, ...row }));

  it.each<[string, Partial<Sample>]>([
    ['nothing at all', {}],
    ['plain values', { text: 'a "quoted" \\ text', whole: -42, bigNumber: -7, fraction: -0.25, isTrue: true }],
    ['emoji, and Chinese', { text: '👩‍👩‍👧‍👦 会话', longText: '🎈'.repeat(500), json: { 键: ['🙂', null, { deep: true }] } }],
    [
      'long texts',
      { longText: `${'line\r\n\t"'.repeat(40_000)}end`, json: Array.from({ length: 5_000 }, (_e, i) => i) },
    ],
    ['the largest numbers', { whole: 2 ** 31 - 1, bigNumber: 2 ** 53 - 1, fraction: 1e300 }],
    ['the smallest numbers', { whole: -(2 ** 31), bigNumber: -(2 ** 53) + 1, fraction: 5e-324 }],
    [
      'zeros, and empty texts',
      { text: '', longText: '', whole: 0, bigNumber: 0, fraction: 0, isTrue: false, json: '' },
    ],
    ['milliseconds', { happenedAt: new Date('2026-03-29T01:59:59.007Z') }],
    [
      'the first milliseconds of 1970, and texts that look like numbers',
      { happenedAt: new Date(1), text: '007', json: '7' },
    ],
  ])('keep %s, as a repository does', async (_what, row) => {
    const id = await insert(row);
    const expected = { ...EMPTY, ...row, id };
    expect(await SAMPLE.first(sample.database.manager, [id])).toEqual(expected);
    expect(await SAMPLE.all(sample.database.manager, [id])).toEqual([expected]);
    expect({ ...(await sample.database.repository(Sample).findOneBy({ id })) }).toEqual(expected);
    await sample.database.write((manager) => updateRows(manager, Sample, { ...EMPTY, ...row }, 'id = ?', [id]));
    expect(await SAMPLE.first(sample.database.manager, [id])).toEqual(expected);
    const saved = await sample.database.write((manager) => manager.save(Sample, { ...EMPTY, ...row }));
    expect(await SAMPLE.first(sample.database.manager, [saved.id])).toEqual({ ...expected, id: saved.id });
  });

  it('read only the named members, and nothing if there is nothing', async () => {
    const id = await insert({ text: 'some', longText: 'members' });
    expect(await TEXTS.all(sample.database.manager, ['some'])).toEqual([{ longText: 'members', id }]);
    expect(await TEXTS.all(sample.database.manager, ['none'])).toEqual([]);
    expect(await TEXTS.first(sample.database.manager, ['none'])).toBeNull();
  });

  it('read the first of several rows, and do not hold the read snapshot of the others', async () => {
    const first = await insert({ text: 'one of two' });
    const second = await insert({ text: 'one of two' });
    expect(await TEXTS.first(sample.database.manager, ['one of two'])).toMatchObject({ id: first });
    await sample.database.write((manager) => updateRows(manager, Sample, { text: 'another' }, 'id = ?', [first]));
    expect(await TEXTS.first(sample.database.manager, ['one of two'])).toMatchObject({ id: second });
    if (!sample.database.isShared) {
      await sample.database.clearLog();
      expect(await sample.database.manager.query('PRAGMA wal_checkpoint')).toMatchObject([{ busy: 0, log: 0 }]);
    }
  });

  it('read one row and all rows alternately with one text, each by its own values', async () => {
    const id = await insert({ text: 'by turns' });
    for (const text of ['by turns', 'nothing of it', 'by turns']) {
      const found = text === 'by turns' ? [expect.objectContaining({ id })] : [];
      expect(await TEXTS.all(sample.database.manager, [text])).toEqual(found);
      for (const other of ['nothing of it', 'by turns']) {
        expect((await TEXTS.first(sample.database.manager, [other]))?.id).toBe(other === 'by turns' ? id : undefined);
        expect(await TEXTS.all(sample.database.manager, [text])).toEqual(found);
      }
    }
  });

  it('answer by their own values after a failure', async () => {
    const sql = 'SELECT JSON_EXTRACT(?, ?)';
    const valueOf = (path: string): Promise<unknown> =>
      runForRow(sample.database.manager, sql, ['{"a": 7, "b": 8}', path]).then(
        (row) => Number(row?.[0]),
        (error: unknown) => (error as Error).name,
      );
    const first = await valueOf('$.a');
    const failed = await valueOf('no path');
    expect([first, await valueOf('$.b'), await valueOf('$.a')]).toEqual([7, 8, 7]);
    // MariaDB has NULL instead.
    expect(failed).toEqual(sample.database.isShared ? expect.anything() : 'QueryFailedError');
  });

  it('accept timestamps and booleans as conditions', async () => {
    const happenedAt = new Date('2026-01-31T09:30:00.500Z');
    const id = await insert({ happenedAt, isTrue: true });
    const query = new RowQuery(Sample, ({ happenedAt: at, isTrue }) => `WHERE ${at} = ? AND ${isTrue} = ?`, ['id']);
    expect(await query.all(sample.database.manager, [happenedAt, true])).toEqual([{ id }]);
    expect(await query.all(sample.database.manager, [new Date(happenedAt.getTime() + 1), true])).toEqual([]);
    expect(await query.all(sample.database.manager, [happenedAt, false])).toEqual([]);
  });

  it('insert several rows at once and return their ids in order', async () => {
    const rows = [{ text: 'first' }, { whole: 2 }, { text: 'third', whole: 3 }];
    const inserted = await Promise.all(
      Array.from({ length: 20 }, () => sample.database.write((manager) => insertRows(manager, Sample, rows))),
    );
    expect(new Set(inserted.flat()).size).toBe(60);
    for (const ids of inserted) {
      const found = await findRows(sample.database.manager, Sample, { id: In(ids) }, { order: { id: 'ASC' } });
      expect(found).toEqual(rows.map((row, index) => ({ ...EMPTY, ...row, id: ids[index] })));
    }
  });

  it('see the changes in their transaction, and no other reader does before the commit', async () => {
    const reader = sample.database.manager;
    await sample.database.write(async (manager) => {
      const id = await insertRow(manager, Sample, { ...EMPTY, text: 'pending' });
      expect(await SAMPLE.first(sample.database.manager, [id])).toMatchObject({ text: 'pending' });
      expect(await SAMPLE.first(reader, [id])).toBeNull();
    });
    expect(await TEXTS.all(reader, ['pending'])).toHaveLength(1);
  });

  it('take part in a rollback', async () => {
    const failing = sample.database.write(async (manager) => {
      await insertRow(manager, Sample, { ...EMPTY, text: 'undone' });
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await TEXTS.all(sample.database.manager, ['undone'])).toEqual([]);
  });

  it('count exactly with parallel transactions, each of which reads and locks the row', async () => {
    const outcomes = Array.from({ length: 40 }, () =>
      sample.database.write(async (manager) => {
        await addToCounters(manager, 'counters', { name: 'shared' }, { hits: 1 });
        const row = await LOCKED.first(manager, ['shared']);
        await updateRows(manager, Counter, { hits: (row?.hits ?? 0) + 1 }, 'name = ?', ['shared']);
      }),
    );
    await Promise.all(outcomes);
    expect(await LOCKED.first(sample.database.manager, ['shared'])).toEqual({ name: 'shared', hits: 80 });
  });

  it("return with a new row its transaction's earlier changes, and missing ones", async () => {
    await sample.database.write(async (manager) => {
      await insertRow(manager, Counter, { name: 'told', hits: 4 });
      await updateRows(manager, Counter, { hits: 7 }, 'name = ?', ['told']);
      const ask = (name: string) => ({
        sql: '(SELECT hits FROM counters WHERE name = ?), (SELECT COUNT(*) FROM counters WHERE name = ?)',
        values: [name, name],
      });
      const tell = (name: string): Promise<unknown[]> =>
        insertReturning(manager, Sample, { ...EMPTY, text: 'beside' }, ask(name));
      expect((await tell('told')).map(Number)).toEqual([7, 1]);
      const [hits, count] = await tell('nobody');
      expect([hits, Number(count)]).toEqual([null, 0]);
    });
    expect(await TEXTS.all(sample.database.manager, ['beside'])).toHaveLength(2);
  });

  it('fail like the statements of repositories', async () => {
    await sample.database.write((manager) => insertRow(manager, Counter, { name: 'taken' }));
    const failureOf = (work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> =>
      sample.database.write(work).catch((error: unknown) => error);
    const ours = await failureOf((manager) => insertRow(manager, Counter, { name: 'taken' }));
    const theirs = await failureOf((manager) => manager.insert(Counter, { name: 'taken' }));
    expect([isUniqueViolation(ours), isTransactionConflict(ours)]).toEqual([true, false]);
    expect(driverCode(ours)).toBe(driverCode(theirs));
    expect((ours as object).constructor).toBe((theirs as object).constructor);
    const query = 'SELECT nothing FROM nowhere';
    const wrong = await runStatement(sample.database.manager, query, []).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ name: 'QueryFailedError', query });
  });

  it('write inside a unit of work only, and not with the manager of one that has ended', async () => {
    await expect(updateRows(sample.database.manager, Counter, { hits: 1 }, 'hits < ?', [0])).rejects.toThrow(
      /unit of work/,
    );
    const returning = insertReturning(sample.database.manager, Counter, { name: 'nobody' }, { sql: '1', values: [] });
    await expect(returning).rejects.toThrow(/unit of work/);
    const ended = await sample.database.write((manager) => Promise.resolve(manager));
    if (sample.database.isShared) {
      await expect(LOCKED.first(ended, ['taken'])).rejects.toThrow(/released/i);
    }
  });

  it('use new connections when the server has closed those they were prepared on', async () => {
    if (!sample.database.isShared) {
      return;
    }
    const id = await insert({ text: 'kept' });
    await Promise.all(Array.from({ length: 30 }, () => SAMPLE.first(sample.database.manager, [id])));
    const others = await sample.database.manager.query<{ id: number }[]>(
      'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    await sample.database
      .write(async (manager) => {
        for (const other of others) {
          await manager.query(`KILL ${other.id}`).catch(() => undefined);
        }
      })
      .catch(() => undefined);
    await Promise.allSettled(Array.from({ length: 30 }, () => SAMPLE.first(sample.database.manager, [id])));
    expect(await SAMPLE.first(sample.database.manager, [id])).toMatchObject({ text: 'kept' });
  });
});
