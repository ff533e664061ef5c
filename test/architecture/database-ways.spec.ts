import { databaseWays, waysOf } from '../house/database-ways';

describe('the ways to read and write rows', () => {
  it.each([
    ["import { findRow } from '../../database/statements/find';", ['statements']],
    ["import type { Rows } from '../../database/statements/row-condition';", []],
    // It completes a query-builder query.
    ["import { sortedRows } from '../../database/statements/list-rows';", []],
    ['await manager.delete(NoteEntity, { id });', ['repository']],
    ['const notes = this.database.repository(NoteEntity); await notes.findBy({ userId });', ['repository']],
    ["this.database.manager.createQueryBuilder(NoteEntity, 'note');", ['builder']],
    ["await manager.query('SELECT 1'); await manager.save(note);", ['raw', 'repository']],
    ['await this.cache.delete(id); list.find(isOpen);', []],
  ])('%s', (text, ways) => {
    expect(waysOf(text)).toEqual(ways);
  });

  it('are found in the service', () => {
    expect(databaseWays().length).toBeGreaterThan(80);
  });
});
