import { fake } from '../../../../test/support/fake';
import type { RedisConnection } from '../../../common/redis/redis-connection';
import type { Database } from '../../../database/database';
import type { AgentEntity } from './agent.entity';
import { AgentCatalogue } from './agent-catalogue';

/** A catalogue over `rows`, with spies on the database and the other instances. */
function setUp(rows: Partial<AgentEntity>[]) {
  const find = jest.fn(() => Promise.resolve([...rows] as AgentEntity[]));
  const published: string[] = [];
  const committed: (() => void)[] = [];
  let receive: (message: string) => void = () => undefined;
  class ReadCatalogue extends AgentCatalogue {
    protected override readonly read = find;
  }
  const catalogue = new ReadCatalogue(
    fake<Database>({
      onCommit: (callback: () => void) => committed.push(callback),
    }),
    fake<RedisConnection>({
      subscribe: (_channel: string, handler: typeof receive) => {
        receive = handler;
        return {};
      },
      publish: (_channel: string, message: string) => published.push(message),
    }),
  );
  return { catalogue, find, published, commit: () => committed.forEach((run) => run()), tellChange: () => receive('') };
}

describe('the catalogue of agents', () => {
  it('asks the database once for many readers, and again after four seconds', async () => {
    const { catalogue, find } = setUp([{ id: 1 }]);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    await Promise.all([catalogue.all(), catalogue.all()]);
    clock.mockReturnValue(5_000);
    await catalogue.all();
    expect(find).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(5_001);
    await catalogue.all();
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('asks again after a change is committed, and tells the other instances', async () => {
    const { catalogue, find, published, commit } = setUp([{ id: 1 }]);
    await catalogue.all();
    catalogue.changed();
    await catalogue.all();
    expect(find).toHaveBeenCalledTimes(1);
    commit();
    await catalogue.all();
    expect(find).toHaveBeenCalledTimes(2);
    expect(published).toHaveLength(1);
  });

  it('asks again when another instance reports a change', async () => {
    const { catalogue, find, tellChange } = setUp([]);
    await catalogue.all();
    tellChange();
    await catalogue.all();
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('tries again after a failure', async () => {
    const { catalogue, find } = setUp([{ id: 1 }]);
    find.mockRejectedValueOnce(new Error('away'));
    await expect(catalogue.all()).rejects.toThrow('away');
    expect((await catalogue.all()).size).toBe(1);
  });

  it('looks deleted agents up in one query and remembers them', async () => {
    const { catalogue, find } = setUp([{ id: 1 }]);
    await catalogue.all();
    find.mockResolvedValueOnce([
      { id: 8, deletedAt: new Date() },
      { id: 9, deletedAt: new Date() },
    ] as AgentEntity[]);
    expect([...(await catalogue.findMany([9, 1, 8, 9])).keys()].sort()).toEqual([1, 8, 9]);
    expect([...(await catalogue.findMany([8, 9, 1])).keys()].sort()).toEqual([1, 8, 9]);
    expect(find).toHaveBeenCalledTimes(2);
  });
});
