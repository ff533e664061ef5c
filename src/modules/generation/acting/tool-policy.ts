import type { AgentToolUse, ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, searchesKnowledge } from '../../tool/tool.api';
import { NOT_TIGHTENED, type PolicyOverrides, type SourceRule, type ToolFilter } from '../reply/policy-overrides';

const STRICTNESS: readonly ToolPolicy[] = ['auto', 'ask', 'deny'];

type PolicedTool = Pick<RegisteredTool, 'name' | 'source' | 'readOnly' | 'served'>;

/** The policy that applies to a call, and who approves the call. */
export interface AppliedPolicy {
  policy: ToolPolicy;
  approver: string;
}

/**
 * The policy of an agent for a tool, tightened by the tool's MCP server and by the request. A tool that the agent does
 * not list is denied, except for the search of documents. A tool of an MCP server that the request names always needs the user's approval.
 *
 * @param isRemembered whether the user has approved the tool for all calls: the agent's own `ask` then becomes `auto`,
 *   if the user is the approver
 */
export function policyOf(
  tools: readonly AgentToolUse[] | null,
  tool: PolicedTool,
  requested: PolicyOverrides,
  isRemembered = false,
): AppliedPolicy {
  if (tool.served?.isRemote) {
    return { policy: stricter('ask', wantedBy(requested, tool)), approver: 'user' };
  }
  const listed = tools?.find(({ name }) => name === tool.name);
  if (listed === undefined && !searchesKnowledge(tool)) {
    return { policy: 'deny', approver: 'user' };
  }
  const own = listed?.policy ?? (tool.readOnly ? 'auto' : 'ask');
  const approver = listed?.approver ?? 'user';
  const allowed = isRemembered && own === 'ask' && approver === 'user' ? 'auto' : own;
  const demanded = stricter(allowed, tool.served?.policy ?? 'auto');
  return { policy: stricter(demanded, wantedBy(requested, tool)), approver };
}

/** Combines two overrides. Of two policies for one tool, the stricter one applies. */
export function combined(one: PolicyOverrides | undefined, other: PolicyOverrides | undefined): PolicyOverrides {
  if (one === undefined || other === undefined) {
    return one ?? other ?? NOT_TIGHTENED;
  }
  const policies: Record<string, 'ask' | 'deny'> = { ...one.policies };
  for (const [name, policy] of Object.entries(other.policies)) {
    policies[name] = Object.hasOwn(policies, name) && policies[name] === 'deny' ? 'deny' : policy;
  }
  const rules = [...(one.rules ?? []), ...(other.rules ?? [])];
  const distinct = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return { policies, ...(rules.length > 0 && { rules: [...distinct.values()] }) };
}

/** Whether the overrides restrict anything. */
export function isTightening({ policies, rules = [] }: PolicyOverrides): boolean {
  return Object.keys(policies).length > 0 || rules.length > 0;
}

function wantedBy({ policies, rules = [] }: PolicyOverrides, tool: PolicedTool): ToolPolicy {
  const named = (Object.hasOwn(policies, tool.name) ? policies[tool.name] : undefined) ?? 'auto';
  const own = rules.filter(({ source }) => source === tool.source).map((rule) => ruled(rule, tool));
  return own.reduce(stricter, named);
}

/** As in the OpenAI API, a `never` filter implies that every tool it does not match needs approval. */
function ruled({ allowed, asks }: SourceRule, tool: PolicedTool): ToolPolicy {
  if (allowed !== null && !matches(tool, allowed)) {
    return 'deny';
  }
  if (asks === null || asks === 'all') {
    return asks === null ? 'auto' : 'ask';
  }
  const { always, never } = asks;
  const isAsked = (always && matches(tool, always)) === true || (never !== undefined && !matches(tool, never));
  return isAsked ? 'ask' : 'auto';
}

function matches({ name, served, readOnly }: PolicedTool, { tool_names, read_only }: ToolFilter): boolean {
  const isNamed = tool_names?.includes(served?.name ?? name) ?? true;
  return isNamed && (read_only === undefined || read_only === readOnly);
}

/**
 * Tightens a policy while the prompt may contain untrusted content. Tools with effects then need approval. So does a
 * read-only tool of a source that the conversation has not read yet, because its arguments could leak the prompt to
 * that source.
 *
 * @param known modules and MCP servers that may be read without approval. Null: all
 */
export function tightened(
  applied: AppliedPolicy,
  { name, readOnly, outside, source }: Pick<RegisteredTool, 'name' | 'readOnly' | 'outside' | 'source'>,
  known: ReadonlySet<string> | null,
): AppliedPolicy {
  // A search of documents sends nothing to another server.
  const isOwn = !outside || searchesKnowledge({ name });
  const isHarmless = readOnly && (isOwn || known === null || known.has(source));
  return isHarmless ? applied : { ...applied, policy: stricter(applied.policy, 'ask') };
}

function stricter(one: ToolPolicy, other: ToolPolicy): ToolPolicy {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;
}
