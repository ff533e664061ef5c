import { TOOL_POLICIES, type ToolPolicy } from '../../agent/agent.api';

export const MOST_POLICIES = 500;

const LONGEST_TOOL_NAME = 255;

/** Whether the text is an absolute URI without a fragment, as a resource requires (RFC 8707 section 2). */
export function isResource(value: unknown): boolean {
  return typeof value === 'string' && !/[\s\p{Cc}\\#]/u.test(value) && URL.canParse(value);
}

export function arePolicies(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.keys(value).length <= MOST_POLICIES &&
    Object.keys(value).every(({ length }) => length <= LONGEST_TOOL_NAME) &&
    Object.values(value).every((policy) => TOOL_POLICIES.includes(policy as ToolPolicy))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
