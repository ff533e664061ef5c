import type { AgentToolUse, ToolPolicy } from '../../agent/agent.api';
import type { RegisteredTool } from '../../tool/tool.api';

const STRICTNESS: readonly ToolPolicy[] = ['auto', 'ask', 'deny'];

/** Whether a call is made, and who is asked. */
export interface AppliedPolicy {
  policy: ToolPolicy;
  approver: string;
}

/** What a request wants to be asked about, or not to happen. */
export type RequestPolicies = Readonly<Record<string, 'ask' | 'deny'>>;

/**
 * The policy of an agent for a tool, as the tool's server and a request tighten it. What nobody listed is denied.
 *
 * @param isRemembered whether its user has allowed the tool once and for all: they are not asked then, where it is they who
 *   approve, and the agent that asks
 */
export function policyOf(
  tools: readonly AgentToolUse[] | null,
  tool: Pick<RegisteredTool, 'name' | 'readOnly' | 'served'>,
  requested: RequestPolicies,
  isRemembered = false,
): AppliedPolicy {
  const listed = tools?.find(({ name }) => name === tool.name);
  if (listed === undefined) {
    return { policy: 'deny', approver: 'user' };
  }
  const own = listed.policy ?? (tool.readOnly ? 'auto' : 'ask');
  const approver = listed.approver ?? 'user';
  const allowed = isRemembered && own === 'ask' && approver === 'user' ? 'auto' : own;
  const wanted = Object.hasOwn(requested, tool.name) ? requested[tool.name] : undefined;
  const demanded = stricter(allowed, tool.served?.policy ?? 'auto');
  return { policy: stricter(demanded, wanted ?? 'auto'), approver };
}

/** Tools with effects ask where somebody else may have told the model what to do, or where they did it before. */
export function tightened(applied: AppliedPolicy, { readOnly }: Pick<RegisteredTool, 'readOnly'>): AppliedPolicy {
  return readOnly ? applied : { ...applied, policy: stricter(applied.policy, 'ask') };
}

function stricter(one: ToolPolicy, other: ToolPolicy): ToolPolicy {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;
}
