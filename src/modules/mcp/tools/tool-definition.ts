import { createHash } from 'node:crypto';

/** The maximum size of a definition in UTF-8 bytes, and its maximum depth. */
export const LARGEST_DEFINITION = 32 * 1_024;
export const DEEPEST_DEFINITION = 32;

/**
 * The stored part of a tool definition, from which the pin is computed. Other members, such as icons and `_meta`, are
 * dropped.
 */
export interface McpToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** Whether JSON exceeds the maximum depth. It looks no deeper than that. */
export function isTooDeep(value: unknown, left = DEEPEST_DEFINITION): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1));
}

/** Whether a definition exceeds the maximum size. It must not be too deep. */
export function isTooLarge(definition: McpToolDefinition): boolean {
  return Buffer.byteLength(JSON.stringify(definition)) > LARGEST_DEFINITION;
}

/**
 * SHA-256 of the canonical JSON of everything that models and people see of a tool. The definition must not be too
 * deep.
 */
export function pinOf({ name, title, description, inputSchema, outputSchema, annotations }: McpToolDefinition): string {
  return sha256(canonical({ name, title, description, inputSchema, outputSchema, annotations }));
}

/** The part of an approval that does not depend on the arguments: the definition, and the server that gets the call. */
export function sealOf(server: { id: number; url: string }, approvedPin: string): string {
  return sha256(JSON.stringify([server.id, server.url, approvedPin]));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** JSON without white space, with object members sorted by name in UTF-16 order, as in RFC 8785. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
