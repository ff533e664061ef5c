import { fake } from '../../../../test/support/fake';
import type { RedisConnection } from '../../../common/redis/redis-connection';
import type { Tier } from '../../../common/security/principal';
import type { Database } from '../../../database/database';
import type { AgentEntity } from './agent.entity';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
import { type AgentCaller, AgentCatalogue, AgentService } from './agent.service';

const ACTIVE = 1;
const DRAFT = 2;
const DISABLED = 3;
const PAID = 4;
const FOR_GROUP = 5;
const FOR_NOBODY = 6;
const UNKNOWN = 9;

const agents = [
  { id: ACTIVE, status: 'active', accessLevel: 'free', isDefault: false },
  { id: DRAFT, status: 'draft', accessLevel: 'free', isDefault: false },
  { id: DISABLED, status: 'disabled', accessLevel: 'free', isDefault: false },
  { id: PAID, status: 'active', accessLevel: 'paid', isDefault: false },
  { id: FOR_GROUP, status: 'active', accessLevel: 'groups', groupIds: [7, 8], isDefault: false },
  { id: FOR_NOBODY, status: 'active', accessLevel: 'groups', groupIds: null, isDefault: false },
] as AgentEntity[];

function serviceOver(entities: AgentEntity[]): AgentService {
  const all = () => Promise.resolve(new Map(entities.map((agent) => [agent.id, agent])));
  return new AgentService({} as Database, { all } as AgentCatalogue);
}

const as = (tier: Tier, ...groupIds: number[]): AgentCaller => ({ tier, groupIds });

const withDefault = (id: number): AgentService =>
  serviceOver(agents.map((agent) => ({ ...agent, isDefault: agent.id === id })));

describe('the agent of a chat', () => {
  const service = serviceOver(agents);

  it('is listed when it is active', async () => {
    expect((await service.listActive(as('normal'))).map(({ id }) => id)).toEqual([ACTIVE, PAID]);
  });

  it.each([
    [UNKNOWN, AgentNotFoundError, AgentInactiveError],
    [DRAFT, AgentNotFoundError, AgentInactiveError],
    [DISABLED, AgentInactiveError, AgentInactiveError],
    [PAID, MembershipRequiredError, MembershipRequiredError],
  ])('is refused for a new chat and for sending (agent %d)', async (id, forNewChat, forSending) => {
    await expect(service.resolveForNewChat(id, as('normal'))).rejects.toThrow(forNewChat);
    await expect(service.resolveForSending(id, as('normal'))).rejects.toThrow(forSending);
  });

  it.each(['paid', 'admin'] as const)('may be for members only when the caller is %s', async (tier) => {
    expect((await service.resolveForNewChat(PAID, as(tier))).id).toBe(PAID);
    expect((await service.resolveForSending(PAID, as(tier))).id).toBe(PAID);
  });

  it('is hidden from users outside its groups', async () => {
    const outside = as('paid', 9);
    await expect(service.resolveForNewChat(FOR_GROUP, outside)).rejects.toThrow(AgentNotFoundError);
    await expect(service.resolveForSending(FOR_GROUP, outside)).rejects.toThrow(AgentInactiveError);
    expect(await service.isPublished(FOR_GROUP, outside)).toBe(false);
    expect(await service.idOf(String(FOR_GROUP), outside)).toBeNull();
    expect((await service.listActive(as('normal', 8))).map(({ id }) => id)).toEqual([ACTIVE, PAID, FOR_GROUP]);
    expect((await service.resolveForNewChat(FOR_GROUP, as('normal', 8))).id).toBe(FOR_GROUP);
  });

  it('is shown to administrators only if it has no group', async () => {
    expect((await service.resolveForSending(FOR_NOBODY, as('admin'))).id).toBe(FOR_NOBODY);
    await expect(service.resolveForNewChat(FOR_NOBODY, as('normal', 7))).rejects.toThrow(AgentNotFoundError);
    expect((await withDefault(FOR_NOBODY).resolveForNewChat(undefined, as('normal'))).id).toBe(ACTIVE);
  });

  it('is the default agent when none is named', async () => {
    expect((await withDefault(PAID).resolveForNewChat(undefined, as('paid'))).id).toBe(PAID);
    await expect(withDefault(PAID).resolveForNewChat(undefined, as('normal'))).rejects.toThrow(MembershipRequiredError);
  });

  it('is the first active agent when the default one cannot answer', async () => {
    expect((await withDefault(DISABLED).resolveForNewChat(undefined, as('normal'))).id).toBe(ACTIVE);
    await expect(serviceOver([]).resolveForNewChat(undefined, as('normal'))).rejects.toThrow(AgentNotFoundError);
  });
});

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
  return {
    catalogue,
    find,
    published,
    commit: () => committed.forEach((run) => run()),
    announceChange: () => receive(''),
  };
}

describe('the catalogue of agents', () => {
  it('queries the database once for many readers, and again after four seconds', async () => {
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

  it('queries again after a committed change, and notifies the other instances', async () => {
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
    const { catalogue, find, announceChange } = setUp([]);
    await catalogue.all();
    announceChange();
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
