import type { AgentAdminDto } from 'chat-service-client';
import { api } from '../../app/api';
import { useLoad } from '../../app/use-load';
import type { Choice } from '../form/choices';

export type Agents = Pick<AgentAdminDto, 'id' | 'name'>[];

/** The first 100 agents, for names and choices; empty while they load. */
export function useAgents(): Agents {
  const { data } = useLoad(async () => (await api.agents.list({ query: { size: 100 } })).data.items, []);
  return data ?? [];
}

export function agentChoices(agents: Agents): Choice[] {
  return agents.map(({ id, name }) => ({ value: String(id), label: name }));
}
