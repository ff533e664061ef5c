// @databases mariadb mysql: migrations
// @part rest: migrates hundreds of databases
import { Logger } from '@nestjs/common';
import { type Cutting, migrateUntil, schemaAndRows } from '../support/releases/cut-migrations';
import { HIDDEN_CONVERSATIONS } from '../support/releases/hidden-conversations';
import { buildDatabase } from '../support/releases/release-database';
import { type Release, RELEASES } from '../support/releases/releases';
import { createTestDatabase } from '../support/servers/test-database';

/** Statements that may change the database; reads can be interrupted anywhere. */
const READS = /^\s*(SELECT|SHOW|PRAGMA)\b/i;

/** Schema changes: after one of them, a server has no transaction to roll back. */
const DEFINES = /^\s*(CREATE|ALTER|DROP)\b/i;

/** Row changes, except for the record that a migration is done. */
const CHANGES = /^\s*(UPDATE|DELETE|(INSERT|REPLACE)(?!\s+INTO\s+[`"]?migrations\b))/i;

describe('interrupted migrations', () => {
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  afterAll(async () => {
    Logger.overrideLogger(true);
    await Promise.all(databases.map((database) => database.drop()));
  });

  const make = async (release: Release | undefined): Promise<string> => {
    const database = await createTestDatabase();
    databases.push(database);
    if (release !== undefined) {
      await buildDatabase(database.url, release);
    }
    return database.url;
  };

  it.each([
    ['nothing', undefined],
    ['the first release', RELEASES[0]],
  ])('after any statement continue from %s, and end with the same schema and the same rows', async (_name, release) => {
    const [whole, cut] = [await make(release), await make(release)];
    await migrateUntil(whole);
    const done = new Set<string>();
    while (!(await migrateUntil(cut, behindOthers(done))));
    // More than one statement for each migration.
    expect(done.size).toBeGreaterThan(60);
    expect(await schemaAndRows(cut)).toEqual(await schemaAndRows(whole));
  });

  it.each([
    ['the first release', RELEASES[0], 2],
    ['hidden conversations', HIDDEN_CONVERSATIONS, 4],
  ])(
    'after a row change, even in the run that has changed the schema, continue from %s',
    async (_name, release, most) => {
      const whole = await make(release);
      await migrateUntil(whole);
      const expected = await schemaAndRows(whole);
      for (let place = 1; place <= most; place++) {
        const cut = await make(release);
        let cuts = 0;
        while (!(await migrateUntil(cut, behindChange(place, cuts > 0)))) {
          cuts++;
        }
        expect(cuts).toBeGreaterThan(0);
        expect(await schemaAndRows(cut)).toEqual(expected);
      }
    },
  );
});

/** @param done statements after which it was already interrupted: it is interrupted after the first other one */
function behindOthers(done: Set<string>): Cutting {
  return ({ migration, sql, parameters }) => {
    const key = JSON.stringify([migration, sql, parameters?.map(String)]);
    const isNew = !READS.test(sql) && !done.has(key);
    done.add(key);
    return isNew;
  };
}

/**
 * Interrupts a migration once after its first, second … row change that follows a schema change.
 *
 * @param resumes whether the first migration of the run was interrupted before
 */
function behindChange(place: number, resumes: boolean): Cutting {
  let current = 0;
  let defines = false;
  let changes = 0;
  return ({ migration, sql }) => {
    if (migration !== current) {
      [current, defines, changes] = [migration, false, 0];
    }
    defines ||= DEFINES.test(sql);
    const counts = defines && CHANGES.test(sql);
    changes += Number(counts);
    return counts && changes === place && migration > Number(resumes);
  };
}
