import type { AgentAdminDto, AgentToolDto, CreateAgentDto } from 'chat-service-client';
import { linesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { textOf } from '../../../components/form/form';

/** The agent form as a request body. */
export type AgentEntries = CreateAgentDto & { knowledge?: number[] };

/** Numeric sampling parameters in display order, most used first. */
export const NUMBERS = [
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'seed',
] as const;

export function entriesOf(entries: FormData): AgentEntries {
  return {
    name: textOf(entries, 'name'),
    status: textOf(entries, 'status') as AgentAdminDto['status'],
    access_level: textOf(entries, 'access_level') as AgentAdminDto['access_level'],
    // The checkboxes exist only after the groups are loaded.
    ...(entries.has('groups_shown') && { group_ids: entries.getAll('group_ids').map(Number) }),
    is_default: entries.has('is_default'),
    system_prompt: textOf(entries, 'system_prompt'),
    description: textOf(entries, 'description'),
    category: textOf(entries, 'category'),
    avatar: wordsOf(entries, 'avatar'),
    sort_order: numberOf(entries, 'sort_order') ?? 0,
    opening_message: textOf(entries, 'opening_message'),
    suggested_questions: linesOf(entries, 'suggested_questions'),
    tags: linesOf(entries, 'tags'),
    provider: wordsOf(entries, 'provider'),
    model: wordsOf(entries, 'model'),
    fallback_models: linesOf(entries, 'fallback_models'),
    model_params: parametersOf(entries),
    context_max_messages: numberOf(entries, 'context_max_messages'),
    context_max_tokens: numberOf(entries, 'context_max_tokens'),
    timeout_seconds: numberOf(entries, 'timeout_seconds'),
    // The checkboxes exist only after the tools are loaded.
    ...(entries.has('tools_shown') && { tools: toolsOf(entries) }),
    ...(entries.has('knowledge_shown') && { knowledge: entries.getAll('knowledge').map(Number) }),
    max_rounds: numberOf(entries, 'max_rounds'),
    max_calls: numberOf(entries, 'max_calls'),
    max_cost_per_run: wordsOf(entries, 'max_cost_per_run'),
    outside_reads: textOf(entries, 'outside_reads') as AgentAdminDto['outside_reads'],
  };
}

function toolsOf(entries: FormData): NonNullable<AgentEntries['tools']> {
  const names = entries.getAll('tools').filter((name) => typeof name === 'string');
  return names.map((name) => {
    const approver = textOf(entries, `tool_approver.${name}`);
    const policy = textOf(entries, `tool_policy.${name}`) as NonNullable<AgentToolDto['policy']> | '';
    return { name, ...(policy !== '' && { policy }), ...(approver !== 'user' && { approver }) };
  });
}

function parametersOf(entries: FormData): NonNullable<AgentEntries['model_params']> {
  const numbers = NUMBERS.map((name) => [name, numberOf(entries, `model_params.${name}`)] as const);
  const stop = linesOf(entries, 'model_params.stop');
  const effort = wordsOf(entries, 'model_params.reasoning_effort');
  return {
    ...Object.fromEntries(numbers.filter(([, value]) => value !== null)),
    ...(stop.length > 0 && { stop }),
    ...(effort !== null && { reasoning_effort: effort }),
  };
}
