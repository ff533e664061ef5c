// @databases mariadb mysql: statements written by hand
import { LessThan, Not } from 'typeorm';
import { Database } from '../../src/database/database';
import { keysetBatches } from '../../src/database/statements/keyset-batches';
import type { Rows } from '../../src/database/statements/row-condition';
import { AgentEntity } from '../../src/modules/agent/catalogue/agent.entity';
import { turnsDuring } from '../support/event-turns';
import { useOwnTestApp } from '../support/use-app';

describe('keysetBatches', () => {
  const app = useOwnTestApp();
  const agents = (where: Rows<AgentEntity>, rows?: number) =>
    keysetBatches(app.app.get(Database).manager, AgentEntity, where, { rows });

  async function sizes(batches: AsyncIterable<AgentEntity[]>): Promise<number[]> {
    const found: number[] = [];
    for await (const batch of batches) {
      found.push(batch.length);
    }
    return found;
  }

  it.each([
    [2, [2, 2, 1]],
    [4, [4, 1]],
    // The last batch is full, so that one more query looks for further rows.
    [5, [5]],
    [9, [5]],
  ])('reads the five first agents in batches of %i', async (rows, expected) => {
    expect(await sizes(agents({}, rows))).toEqual(expected);
  });

  it('returns every row once, in the order of the column, with the conditions of the query', async () => {
    const names: string[] = [];
    for await (const batch of agents({ id: Not(3) }, 2)) {
      names.push(...batch.map(({ id, name }) => `${id} ${name}`));
    }
    const repository = app.app.get(Database).repository(AgentEntity);
    const all = await repository.find({ where: { id: Not(3) }, order: { id: 'ASC' } });
    expect(names).toEqual(all.map(({ id, name }) => `${id} ${name}`));
  });

  it('yields to other work between two batches', async () => {
    const turns = await turnsDuring(() => sizes(agents({}, 1)));
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('yields nothing if nothing is found', async () => {
    expect(await sizes(agents({ id: LessThan(0) }))).toEqual([]);
  });

  // Last, because no other test finds agents here afterwards.
  it('skips no row when those in the previous batch are deleted', async () => {
    const seen: number[] = [];
    await app.app.get(Database).write(async (writer) => {
      for await (const batch of keysetBatches(writer, AgentEntity, {}, { rows: 2 })) {
        seen.push(...batch.map(({ id }) => id));
        await writer.delete(
          AgentEntity,
          batch.map(({ id }) => id),
        );
      }
    });
    expect(seen).toHaveLength(5);
    expect(await app.app.get(Database).repository(AgentEntity).count()).toBe(0);
  });
});
