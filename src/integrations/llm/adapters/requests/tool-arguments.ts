import { isObject, type JsonObject } from '../json-object';

/**
 * The arguments of an earlier call as an object, which APIs require. A model may have written something else: it stands then
 * under the key that Anthropic's documentation names for this.
 */
export function toolArguments(text: string): JsonObject {
  if (text.trim() === '') {
    return {};
  }
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { INVALID_JSON: text };
}

/** The same as text. What the model wrote stays as it is where it is an object: its prompt may be cached. */
export function toolArgumentsText(text: string): string {
  return isObject(parseJson(text)) ? text : JSON.stringify(toolArguments(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
