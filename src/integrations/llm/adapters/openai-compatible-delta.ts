import { isObject, type JsonObject } from './event-stream-reader';

/** What the model says in a delta: a text, or a list of typed parts; or why it refuses. */
export function textOf({ content, refusal }: JsonObject): string {
  if (typeof content === 'string' && content !== '') {
    return content;
  }
  const parts = partsOf(content).map((part) => (typeof part.text === 'string' ? part.text : ''));
  return parts.join('') || (typeof refusal === 'string' ? refusal : '');
}

/**
 * What the model thinks, by the names that servers have for it; some send the same thoughts under several of them.
 * Mistral's are parts of the content, OpenRouter's a list of details, some of them encrypted.
 */
export function reasoningOf(delta: JsonObject): string {
  const { reasoning_content, reasoning, thinking, reasoning_details, content } = delta;
  const text = [reasoning_content, reasoning, thinking].find((value) => typeof value === 'string' && value !== '');
  if (typeof text === 'string') {
    return text;
  }
  const details = partsOf(reasoning_details).map(({ text: detail, summary }) => detail ?? summary);
  const thoughts = partsOf(content).flatMap((part) =>
    Array.isArray(part.thinking) ? partsOf(part.thinking).map((thought) => thought.text) : [part.thinking],
  );
  return [...details, ...thoughts].filter((value) => typeof value === 'string').join('');
}

/** Whether the model calls a tool, by today's name or by the one before. */
export function callsTool({ tool_calls, function_call }: JsonObject): boolean {
  return (Array.isArray(tool_calls) && tool_calls.length > 0) || isObject(function_call);
}

function partsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
