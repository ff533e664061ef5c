import { csvContent } from '../../../common/csv/csv';
import type { AgentDto } from '../catalogue/agent.dto';
import type { AgentAdminDto } from '../editing/agent-admin.dto';

/** The columns of an agent list as a file. */
export const AGENT_FIELDS = [
  'id',
  'name',
  'description',
  'avatar',
  'category',
  'tags',
  'opening_message',
  'suggested_questions',
  'access_level',
  'is_default',
  'is_active',
  'sort_order',
  'model',
  'input',
  'version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof AgentDto)[];

/** The columns for administrators. */
export const AGENT_ADMIN_FIELDS = [
  ...AGENT_FIELDS,
  'status',
  'group_ids',
  'system_prompt',
  'provider',
  'model_params',
  'fallback_models',
  'context_max_messages',
  'context_max_tokens',
  'timeout_seconds',
  'tools',
  'knowledge',
  'max_rounds',
  'max_calls',
  'max_cost_per_run',
  'outside_reads',
  'stats',
] as const satisfies readonly (keyof AgentAdminDto)[];

export const AGENT_FILE = csvContent(AGENT_FIELDS);
