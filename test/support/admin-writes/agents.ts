import { newcomer } from '../accounts';
import type { AdminWrites } from './admin-call';

/** Calls for agents. */
export const AGENT_WRITES: AdminWrites = {
  'PUT /api/v1/admin/anthropic_models': ({ agentId }) => ({
    path: '/admin/anthropic_models',
    body: { models: [{ id: newcomer().username, agent_id: agentId }] },
    action: 'anthropic_models.update',
    target: 'anthropic_models',
  }),
  'PUT /api/v1/admin/claude_settings': ({ groupId }) => ({
    path: '/admin/claude_settings',
    body: { policies: [{ groups: [groupId], settings: { cleanupPeriodDays: 7 } }] },
    action: 'claude_settings.update',
    target: 'claude_settings',
  }),
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
