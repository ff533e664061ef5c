import { newcomer } from '../accounts';
import type { AdminWrites } from './admin-call';

/** Calls for agents. */
export const AGENT_WRITES: AdminWrites = {
  'POST /api/v1/agents': () => ({
    path: '/agents',
    body: { name: newcomer().username },
    action: 'agent.create',
    target: 'agent',
  }),
  'PUT /api/v1/agents/{id}': ({ agentId }) => ({
    path: `/agents/${agentId}`,
    body: { description: 'Changed.' },
    action: 'agent.update',
    target: `agent:${agentId}`,
  }),
  'DELETE /api/v1/agents/{id}': ({ agentId }) => ({
    path: `/agents/${agentId}`,
    action: 'agent.delete',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/{id}/versions/{version}/restore': ({ agentId }) => ({
    path: `/agents/${agentId}/versions/1/restore`,
    action: 'agent.update',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/{id}/duplicate': ({ agentId }) => ({
    path: `/agents/${agentId}/duplicate`,
    action: 'agent.create',
    target: 'agent',
  }),
  'POST /api/v1/agents/{id}/test': ({ agentId }) => ({
    path: `/agents/${agentId}/test`,
    body: { content: 'Hello' },
    action: 'agent.test',
    target: `agent:${agentId}`,
  }),
  'POST /api/v1/agents/import': () => ({
    path: '/agents/import',
    body: { agents: [{ name: newcomer().username }] },
    action: 'agent.create',
    target: 'agent',
  }),
};
