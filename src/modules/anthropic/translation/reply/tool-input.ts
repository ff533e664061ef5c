import { ProviderError } from '../../../../integrations/llm/port/llm.errors';
import type { ToolDefinition } from '../../../../integrations/llm/port/message-parts';

/**
 * The input of a call. Providers omit the arguments of tools that require none.
 *
 * @param text the arguments as the model wrote them
 * @param tool undefined: the model invented it
 * @throws ProviderError if they are not a JSON object, because an invented input could do harm
 */
export function toolInput(text: string, tool: ToolDefinition | undefined): Record<string, unknown> {
  const input = text.trim() === '' ? {} : parseObject(text);
  const isEmpty = input !== null && Object.keys(input).length === 0;
  if (input === null || (isEmpty && requiresInput(tool))) {
    throw new ProviderError(
      {},
      { cause: new Error('The arguments of a call are not a JSON object.'), retryable: true },
    );
  }
  return input;
}

/** Null for a text that is not a JSON object, or not yet. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function requiresInput(tool: ToolDefinition | undefined): boolean {
  const required = tool?.parameters?.required;
  return Array.isArray(required) && required.length > 0;
}
