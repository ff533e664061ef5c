// @databases mariadb: statements written by hand
import { setTimeout as delay } from 'node:timers/promises';
import { And, In, IsNull, LessThan, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { deleteRows } from '../../src/database/statements/delete';
import { countRows, findPage, findRow, findRows, rowExists } from '../../src/database/statements/find';
import { insertRow, insertRows, upsertRows } from '../../src/database/statements/insert';
import { queryRows } from '../../src/database/statements/query';
import { allOf, idIn, type Rows } from '../../src/database/statements/row-condition';
import { runStatement } from '../../src/database/statements/run-statement';
import { updateRows } from '../../src/database/statements/update';
import { Counter, Sample, useSampleDatabase } from '../support/sample-tables';

describe('rows by their members', () => {
  const AT = new Date('2026-05-01T12:00:00.125Z');
  const sample = useSampleDatabase();

  beforeAll(() =>
    sample.database.write(async (manager) => {
      const rows = [1, 2, 3, 4, 5].map((whole) => ({
        text: whole === 5 ? null : `row ${whole}`,
        whole,
        isTrue: whole % 2 === 0,
        json: { whole },
        happenedAt: new Date(AT.getTime() + whole),
      }));
      await insertRows(manager, Sample, rows);
    }),
  );

  const found = async (where: Rows<Sample>): Promise<(number | null)[]> => {
    const rows = await findRows(sample.database.manager, Sample, where, { members: ['whole'], order: { id: 'ASC' } });
    return rows.map(({ whole }) => whole);
  };

  it.each<[string, Rows<Sample>, number[]]>([
    ['all of them', {}, [1, 2, 3, 4, 5]],
    ['values', { text: 'row 2', isTrue: true }, [2]],
    ['a time, to its millisecond', { happenedAt: new Date(AT.getTime() + 3) }, [3]],
    ['operators', { whole: And(MoreThan(1), LessThan(4)), text: Not('row 2') }, [3]],
    ['no value', { text: IsNull() }, [5]],
    ['a value', { text: Not(IsNull()), happenedAt: MoreThanOrEqual(new Date(AT.getTime() + 3)) }, [3, 4]],
    ['a list', { whole: In([5, 1, 4]) }, [1, 4, 5]],
    ['an empty list', { whole: In([]) }, []],
    ['what is in no list', { whole: Not(In([1, 2])) }, [3, 4, 5]],
    ['one of several', [{ whole: 1 }, { text: 'row 4', isTrue: true }], [1, 4]],
    [
      'SQL in addition to them',
      allOf(idIn([1, 2, 3], 'whole'), { condition: 'whole = ? OR whole = ?', parameters: [3, 4] }),
      [3],
    ],
  ])('are found by %s', async (_name, where, expected) => {
    expect(await found(where)).toEqual(expected);
    expect(await countRows(sample.database.manager, Sample, where)).toBe(expected.length);
    expect(await rowExists(sample.database.manager, Sample, where)).toBe(expected.length > 0);
  });

  it('are read as entities declare them, or only some members', async () => {
    expect(await findRow(sample.database.manager, Sample, { whole: 2 })).toMatchObject({
      isTrue: true,
      json: { whole: 2 },
      happenedAt: new Date(AT.getTime() + 2),
    });
    expect(await findRow(sample.database.manager, Sample, {}, { members: ['text'], order: { id: 'DESC' } })).toEqual({
      text: null,
    });
    expect(await findRow(sample.database.manager, Sample, { whole: 9 })).toBeNull();
  });

  it.each([
    [2, 0, [1, 2]],
    [2, 4, [5]],
    [2, 5, []],
    [9, 0, [1, 2, 3, 4, 5]],
  ])('are paged: %i from %i on', async (limit, offset, expected) => {
    const { items, total } = await findPage(
      sample.database.manager,
      Sample,
      {},
      { order: { id: 'ASC' }, limit, offset },
    );
    expect([items.map(({ whole }) => whole), total]).toEqual([expected, 5]);
  });

  it('are never all selected by mistake', async () => {
    const id = undefined as unknown as number;
    await expect(found({ id })).rejects.toThrow(/value of id is missing/);
    await expect(sample.database.write((manager) => deleteRows(manager, Sample, { id }))).rejects.toThrow(/missing/);
    await expect(sample.database.write((manager) => deleteRows(manager, Sample, { name: 1 } as never))).rejects.toThrow(
      /name/,
    );
    expect(await countRows(sample.database.manager, Sample, {})).toBe(5);
  });

  it('are changed, deleted, and created if missing', async () => {
    await sample.database.write(async (manager) => {
      await insertRow(manager, Counter, { name: 'own', hits: 1 });
      await upsertRows(
        manager,
        Counter,
        [
          { name: 'own', hits: 5 },
          { name: 'new', hits: 7 },
        ],
        ['name'],
      );
      await upsertRows(manager, Counter, [{ name: 'own', hits: 9 }], ['name'], ['name']);
      expect(await updateRows(manager, Counter, {}, { name: 'new' }, [], { hits: 3 })).toBe(1);
      const counters = await findRows(manager, Counter, {}, { order: { name: 'ASC' }, lock: 'wait' });
      expect(counters).toEqual([
        { name: 'new', hits: 10 },
        { name: 'own', hits: 5 },
      ]);
      expect(await deleteRows(manager, Counter, { name: In(['own', 'new', 'none']) })).toBe(2);
    });
  });

  it('skip rows that another transaction has locked', async () => {
    if (!sample.database.isShared) {
      return;
    }
    const take = (): Promise<Pick<Sample, 'whole'>[]> =>
      sample.database.write(async (manager) => {
        const options = { members: ['whole'], order: { id: 'ASC' }, limit: 2, lock: 'skip' } as const;
        const taken = await findRows(manager, Sample, {}, options);
        await delay(200);
        return taken;
      });
    const both = (await Promise.all([take(), take()])).flat().map(({ whole }) => Number(whole));
    expect(both.sort()).toEqual([1, 2, 3, 4]);
  });

  it('use few of the statements that a server prepares', async () => {
    if (!sample.database.isShared) {
      return;
    }
    await sample.database.write(async (manager) => {
      for (let index = 0; index < 300; index++) {
        expect((await runStatement(manager, `SELECT ${index}`, [])).rows).toEqual([[index]]);
      }
      expect((await runStatement(manager, 'SELECT 0', [])).rows).toEqual([[0]]);
      const [closed] = await queryRows<{ Value: string }>(manager, "SHOW SESSION STATUS LIKE 'Com_stmt_close'");
      expect(Number(closed?.Value)).toBeGreaterThanOrEqual(100);
    });
  });
});
