import type { AgentToolUse, ToolPolicy } from '../../agent/agent.api';
import type { RegisteredTool } from '../../tool/tool.api';

const STRICTNESS: readonly ToolPolicy[] = ['auto', 'ask', 'deny'];

type PolicedTool = Pick<RegisteredTool, 'name' | 'source' | 'readOnly' | 'served'>;

/** Whether a call is made, and who is asked. */
export interface AppliedPolicy {
  policy: ToolPolicy;
  approver: string;
}

/** What a request wants to be asked about, or not to happen, by the names of tools. */
export type RequestPolicies = Readonly<Record<string, 'ask' | 'deny'>>;

/** Some of the tools of a module or server: those with these names, which are its own, and those that change nothing, or do. */
export interface ToolFilter {
  tool_names?: readonly string[] | undefined;
  read_only?: boolean | undefined;
}

/** What a request makes of the tools of one module or server, of those too that it gets later. */
export interface SourceRule {
  /** The module, or the label of the server. */
  source: string;
  /** Only these are offered; null: all. */
  allowed: ToolFilter | null;
  /** These ask; `all`: all of them. */
  asks: 'all' | { always?: ToolFilter | undefined; never?: ToolFilter | undefined } | null;
}

/** How a request tightens the policies of its agent. It is kept with the reply, so that another version is no looser. */
export interface PolicyOverrides {
  policies: RequestPolicies;
  /** Absent: none. */
  rules?: readonly SourceRule[];
}

export const NOT_TIGHTENED: PolicyOverrides = { policies: {} };

/**
 * The policy of an agent for a tool, as the tool's server and a request tighten it. What nobody listed is denied; what a request
 * brings itself always asks its user.
 *
 * @param isRemembered whether its user has allowed the tool once and for all: they are not asked then, where it is they who
 *   approve, and the agent that asks
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
  if (listed === undefined) {
    return { policy: 'deny', approver: 'user' };
  }
  const own = listed.policy ?? (tool.readOnly ? 'auto' : 'ask');
  const approver = listed.approver ?? 'user';
  const allowed = isRemembered && own === 'ask' && approver === 'user' ? 'auto' : own;
  const demanded = stricter(allowed, tool.served?.policy ?? 'auto');
  return { policy: stricter(demanded, wantedBy(requested, tool)), approver };
}

/** Both hold: of two wishes for a tool the stricter one. */
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

/** Whether it changes anything. */
export function isTightening({ policies, rules = [] }: PolicyOverrides): boolean {
  return Object.keys(policies).length > 0 || rules.length > 0;
}

function wantedBy({ policies, rules = [] }: PolicyOverrides, tool: PolicedTool): ToolPolicy {
  const named = (Object.hasOwn(policies, tool.name) ? policies[tool.name] : undefined) ?? 'auto';
  const own = rules.filter(({ source }) => source === tool.source).map((rule) => ruled(rule, tool));
  return own.reduce(stricter, named);
}

/** As at OpenAI, what a rule does not name among those that need no approval needs it. */
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
 * Tools with effects ask where somebody else may have told the model what to do, or where they did it before. So does a read at a
 * server that has not been read in the conversation: its arguments could carry what the model knows to that server.
 *
 * @param known modules and servers that may be read without asking; null: all
 */
export function tightened(
  applied: AppliedPolicy,
  { readOnly, outside, source }: Pick<RegisteredTool, 'readOnly' | 'outside' | 'source'>,
  known: ReadonlySet<string> | null,
): AppliedPolicy {
  const isHarmless = readOnly && (!outside || known === null || known.has(source));
  return isHarmless ? applied : { ...applied, policy: stricter(applied.policy, 'ask') };
}

function stricter(one: ToolPolicy, other: ToolPolicy): ToolPolicy {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;
}
