import { createHash } from 'node:crypto';

/**
 * SHA-256 of what a person approves: the tool, its pin and its arguments. Independent of the order of object members.
 */
export function argumentsHash(tool: string, pin: string | null, value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, pin, sorted(value)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return ['list', ...value.map(sorted)];
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return ['object', ...entries.map(([name, member]) => [name, sorted(member)])];
  }
  return value === undefined ? null : value;
}
