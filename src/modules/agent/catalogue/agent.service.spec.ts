import type { Tier } from '../../../common/security/principal';
import type { Database } from '../../../database/database';
import type { AgentEntity } from './agent.entity';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
import { type AgentCaller, AgentService } from './agent.service';
import type { AgentCatalogue } from './agent-catalogue';

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

  it('is hidden from who is in none of its groups', async () => {
    const outside = as('paid', 9);
    await expect(service.resolveForNewChat(FOR_GROUP, outside)).rejects.toThrow(AgentNotFoundError);
    await expect(service.resolveForSending(FOR_GROUP, outside)).rejects.toThrow(AgentInactiveError);
    expect(await service.isPublished(FOR_GROUP, outside)).toBe(false);
    expect(await service.idOf(String(FOR_GROUP), outside)).toBeNull();
    expect((await service.listActive(as('normal', 8))).map(({ id }) => id)).toEqual([ACTIVE, PAID, FOR_GROUP]);
    expect((await service.resolveForNewChat(FOR_GROUP, as('normal', 8))).id).toBe(FOR_GROUP);
  });

  it('is shown to administrators, and without a group to nobody else', async () => {
    expect((await service.resolveForSending(FOR_NOBODY, as('admin'))).id).toBe(FOR_NOBODY);
    await expect(service.resolveForNewChat(FOR_NOBODY, as('normal', 7))).rejects.toThrow(AgentNotFoundError);
    expect((await withDefault(FOR_NOBODY).resolveForNewChat(undefined, as('normal'))).id).toBe(ACTIVE);
  });

  it('is the default one when none is named', async () => {
    expect((await withDefault(PAID).resolveForNewChat(undefined, as('paid'))).id).toBe(PAID);
    await expect(withDefault(PAID).resolveForNewChat(undefined, as('normal'))).rejects.toThrow(MembershipRequiredError);
  });

  it('is the first active one when the default one cannot answer', async () => {
    expect((await withDefault(DISABLED).resolveForNewChat(undefined, as('normal'))).id).toBe(ACTIVE);
    await expect(serviceOver([]).resolveForNewChat(undefined, as('normal'))).rejects.toThrow(AgentNotFoundError);
  });
});
