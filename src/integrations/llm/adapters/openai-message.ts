import { isObject, type JsonObject } from './json-object';

/** Deeper than any server nests the text of reasoning. */
const DEEPEST = 5;

/** The text of a message or a delta: a string, a typed part or a list of them, or a refusal. */
export function textOf({ content, refusal }: JsonObject): string {
  if (typeof content === 'string' && content !== '') {
    return content;
  }
  const parts = partsOf(content).map((part) => (typeof part.text === 'string' ? part.text : ''));
  return parts.join('') || (typeof refusal === 'string' ? refusal : '');
}

/**
 * The reasoning in a message or a delta. Servers use several names for it; some send the same text under more than one.
 * Mistral sends parts of the content, OpenRouter a list of details, some of them encrypted.
 */
export function reasoningOf({
  reasoning_content,
  reasoning,
  thinking,
  reasoning_details,
  content,
}: JsonObject): string {
  for (const value of [reasoning_content, reasoning, thinking, reasoning_details]) {
    const text = readReasoning(value);
    if (text !== '') {
      return text;
    }
  }
  return partsOf(content)
    .map((part) => readReasoning(part.thinking))
    .join('');
}

/** The text of reasoning: a string, or inside an object or a list. */
export function readReasoning(value: unknown, depth = DEEPEST): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value !== 'object' || value === null || depth === 0) {
    return '';
  }
  if (Array.isArray(value)) {
    return value.map((part) => readReasoning(part, depth - 1)).join('');
  }
  const { text, content, summary, thinking } = value as JsonObject;
  for (const part of [text, content, summary, thinking]) {
    const thought = readReasoning(part, depth - 1);
    if (thought !== '') {
      return thought;
    }
  }
  return '';
}

/** Whether the model calls a tool, by the current or the former name of the field. */
export function callsTool({ tool_calls, function_call }: JsonObject): boolean {
  return (Array.isArray(tool_calls) && tool_calls.length > 0) || isObject(function_call);
}

/** Whether it has images or sound, which requests never ask for. */
export function hasMedia({ images, audio, content }: JsonObject): boolean {
  return (
    (Array.isArray(images) && images.length > 0) ||
    isObject(audio) ||
    partsOf(content).some(({ type }) => typeof type === 'string' && /image|audio|video/.test(type))
  );
}

const NO_PARTS: readonly JsonObject[] = [];

function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content !== 'object' || content === null) {
    return NO_PARTS;
  }
  return Array.isArray(content) ? content.filter(isObject) : [content as JsonObject];
}
