import type { Turn } from '../../../generation/generation.api';

/**
 * Ids of results of functions whose call stands nowhere before them.
 *
 * @param known ids of calls that were stored before these turns
 */
export function unknownResults(turns: readonly Turn[], known: Iterable<string> = []): string[] {
  const calls = new Set(known);
  const unknown: string[] = [];
  for (const part of turns.flatMap(({ parts }) => parts ?? [])) {
    if (part.type === 'tool_call') {
      calls.add(part.id);
    } else if (part.type === 'tool_result' && !calls.has(part.id)) {
      unknown.push(part.id);
    }
  }
  return unknown;
}
