import type { Database } from '../../../database/database';
import type { AgentEntity } from './agent.entity';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
import { AgentService } from './agent.service';
import type { AgentCatalogue } from './agent-catalogue';

const ACTIVE = 1;
const DRAFT = 2;
const DISABLED = 3;
const PAID = 4;
const UNKNOWN = 9;

const agents = [
  { id: ACTIVE, status: 'active', accessLevel: 'free', isDefault: false },
  { id: DRAFT, status: 'draft', accessLevel: 'free', isDefault: false },
  { id: DISABLED, status: 'disabled', accessLevel: 'free', isDefault: false },
  { id: PAID, status: 'active', accessLevel: 'paid', isDefault: false },
] as AgentEntity[];

function serviceOver(entities: AgentEntity[]): AgentService {
  const all = () => Promise.resolve(new Map(entities.map((agent) => [agent.id, agent])));
  return new AgentService({} as Database, { all } as AgentCatalogue);
}

const withDefault = (id: number): AgentService =>
  serviceOver(agents.map((agent) => ({ ...agent, isDefault: agent.id === id })));

describe('the agent of a chat', () => {
  const service = serviceOver(agents);

  it('is listed when it is active', async () => {
    expect((await service.listActive()).map(({ id }) => id)).toEqual([ACTIVE, PAID]);
  });

  it.each([
    [UNKNOWN, AgentNotFoundError, AgentInactiveError],
    [DRAFT, AgentNotFoundError, AgentInactiveError],
    [DISABLED, AgentInactiveError, AgentInactiveError],
    [PAID, MembershipRequiredError, MembershipRequiredError],
  ])('is refused for a new chat and for sending (agent %d)', async (id, forNewChat, forSending) => {
    await expect(service.resolveForNewChat(id, 'normal')).rejects.toThrow(forNewChat);
    await expect(service.resolveForSending(id, 'normal')).rejects.toThrow(forSending);
  });

  it.each(['paid', 'admin'] as const)('may be for members only when the caller is %s', async (tier) => {
    expect((await service.resolveForNewChat(PAID, tier)).id).toBe(PAID);
    expect((await service.resolveForSending(PAID, tier)).id).toBe(PAID);
  });

  it('is the default one when none is named', async () => {
    expect((await withDefault(PAID).resolveForNewChat(undefined, 'paid')).id).toBe(PAID);
    await expect(withDefault(PAID).resolveForNewChat(undefined, 'normal')).rejects.toThrow(MembershipRequiredError);
  });

  it('is the first active one when the default one cannot answer', async () => {
    expect((await withDefault(DISABLED).resolveForNewChat(undefined, 'normal')).id).toBe(ACTIVE);
    await expect(serviceOver([]).resolveForNewChat(undefined, 'normal')).rejects.toThrow(AgentNotFoundError);
  });
});
