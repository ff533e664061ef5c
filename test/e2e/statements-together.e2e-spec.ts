// @databases mariadb mysql: statements written by hand
import { isUniqueViolation } from '../../src/database/database.errors';
import { deletionOf } from '../../src/database/statements/delete';
import { findRow, findRows } from '../../src/database/statements/find';
import { insertReturningOf, insertRow } from '../../src/database/statements/insert';
import { executeTogether } from '../../src/database/statements/run-statement';
import { addToCounters } from '../../src/database/statements/upsert-counters';
import { Counter, Sample, useSampleDatabase } from '../support/sample-tables';

const HOSTILE: Partial<Sample> = {
  text: `a 'quoted' "text"? \\' ; DELETE FROM counters; -- 会话 👩‍👩‍👧`,
  longText: '?\\\\\n\u001a\r%_`',
  whole: -42,
  bigNumber: Number.MAX_SAFE_INTEGER,
  fraction: -0.1,
  isTrue: true,
  json: { "it's": ['"\\', '?', null, 0.5] },
  happenedAt: new Date('2026-03-29T01:30:00.123Z'),
};

describe('batched statements', () => {
  const sample = useSampleDatabase();

  const hitsOf = async (name: string): Promise<number | null> =>
    (await findRow(sample.database.manager, Counter, { name }))?.hits ?? null;

  it('store every value as a single statement does', async () => {
    const alone = await sample.database.write((manager) => insertRow(manager, Sample, HOSTILE));
    const beside = { sql: 'SELECT COUNT(*) FROM counters', values: [] };
    const [, insert, nothing] = await sample.database.write((manager) =>
      executeTogether(manager, [
        beside,
        ...insertReturningOf(manager, Sample, HOSTILE, { sql: '1', values: [] }),
        ...insertReturningOf(manager, Sample, { text: null }, { sql: '1', values: [] }),
      ]),
    );
    expect([insert, nothing]).not.toContain(undefined);
    const [first, second, empty] = await findRows(sample.database.manager, Sample, {}, { order: { id: 'ASC' } });
    expect(first?.id).toBe(alone);
    expect({ ...second, id: alone }).toEqual(first);
    expect(first).toMatchObject(HOSTILE);
    expect(empty).toMatchObject({ text: null, json: null, happenedAt: null });
  });

  it('return the result of each', async () => {
    await sample.database.write(async (manager) => {
      await insertRow(manager, Counter, { name: 'told', hits: 1 });
      const [added, read, removed, nothing] = await executeTogether(manager, [
        { sql: 'UPDATE counters SET hits = hits + ? WHERE name = ?', values: [6, 'told'] },
        { sql: 'SELECT hits, name FROM counters WHERE name = ?', values: ['told'] },
        deletionOf(manager, Counter, { name: 'told' }),
        deletionOf(manager, Counter, { name: 'told' }),
      ]);
      expect([added?.affected, removed?.affected, nothing?.affected]).toEqual([1, 1, 0]);
      expect(read?.rows).toEqual([[7, 'told']]);
    });
  });

  it('stop at the first that fails', async () => {
    await sample.database.write((manager) => insertRow(manager, Counter, { name: 'taken', hits: 1 }));
    const failure = await sample.database
      .write((manager) =>
        executeTogether(manager, [
          { sql: 'UPDATE counters SET hits = ? WHERE name = ?', values: [99, 'taken'] },
          { sql: 'INSERT INTO counters (name, hits) VALUES (?, ?)', values: ['taken', 1] },
        ]),
      )
      .catch((error: unknown) => error);
    expect(isUniqueViolation(failure)).toBe(true);
    expect(await hitsOf('taken')).toBe(1);
  });

  it('count exactly with parallel transactions', async () => {
    await Promise.all(
      Array.from({ length: 40 }, () =>
        sample.database.write(async (manager) => {
          await addToCounters(manager, 'counters', { name: 'crowd' }, { hits: 1 });
          await executeTogether(manager, [
            { sql: 'UPDATE counters SET hits = hits + 1 WHERE name = ?', values: ['crowd'] },
            { sql: 'UPDATE counters SET hits = hits + 1 WHERE name = ?', values: ['crowd'] },
          ]);
        }),
      ),
    );
    expect(await hitsOf('crowd')).toBe(120);
  });

  it('run inside a unit of work only', async () => {
    const together = executeTogether(sample.database.manager, [{ sql: 'SELECT 1', values: [] }]);
    await expect(together).rejects.toThrow(/unit of work/);
  });

  it('come from the service only: a text with two statements is invalid in a read', async () => {
    const two = sample.database.manager.query('SELECT 1; DELETE FROM counters');
    // SQLite runs the first one, and a server none.
    await two.catch(() => undefined);
    expect(await hitsOf('taken')).toBe(1);
  });
});
