import { createHash } from 'node:crypto';

/** UTF-8 bytes of a definition, and how deep it may be. */
export const LARGEST_DEFINITION = 32 * 1_024;
export const DEEPEST_DEFINITION = 32;

/** What a server says of a tool, and what a pin is made of. Everything else it sends (icons, `_meta`) is not kept. */
export interface McpToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** Whether JSON is deeper than a definition may be. It looks no deeper than that. */
export function isTooDeep(value: unknown, left = DEEPEST_DEFINITION): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1));
}

/** Whether a definition, which is not too deep, takes more than it may. */
export function isTooLarge(definition: McpToolDefinition): boolean {
  return Buffer.byteLength(JSON.stringify(definition)) > LARGEST_DEFINITION;
}

/** SHA-256 over the canonical JSON of what models and people are told of a tool. It must not be too deep. */
export function pinOf({ name, title, description, inputSchema, outputSchema, annotations }: McpToolDefinition): string {
  return sha256(canonical({ name, title, description, inputSchema, outputSchema, annotations }));
}

/** What a person approves of a tool beside its arguments: its definition, and whom the call goes to. */
export function sealOf(server: { id: number; url: string }, approvedPin: string): string {
  return sha256(JSON.stringify([server.id, server.url, approvedPin]));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** JSON without blanks, with the members of objects in the order of their names (UTF-16, as RFC 8785 has it). */
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
