import { type CountRequest, isCustom } from './message-request.schema';

/** The header with the fields of a request that were ignored. */
export const IGNORED_FIELDS = 'X-Ignored-Fields';

/** The fields that are translated. Bookkeeping of the prompt cache is among those that are ignored. */
const TRANSLATED: ReadonlySet<string> = new Set([
  ...(['model', 'messages', 'max_tokens', 'system', 'stream', 'temperature', 'top_p', 'stop_sequences'] as const),
  ...(['thinking', 'tools', 'tool_choice', 'output_config'] as const),
]);

/** The names of the fields of a request that have no counterpart at other providers. */
export function ignoredFields(body: object): string[] {
  return Object.entries(body).flatMap(([name, value]) => (value === null || TRANSLATED.has(name) ? [] : [name]));
}

/** The types of the tools of a request that neither the client nor the service runs. */
export function ignoredTools({ tools }: Pick<CountRequest, 'tools'>): string[] {
  return [...new Set((tools ?? []).flatMap((tool) => (isCustom(tool) ? [] : [tool.type])))];
}
