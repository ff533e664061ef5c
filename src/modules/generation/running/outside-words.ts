import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { isBinary } from '../reply/stored-parts';

/**
 * Whether a model is told what came from outside of the house: files, what a program says that functions returned, or a summary,
 * of which nobody knows what it was made of.
 */
export function hasOutside(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    ({ parts, hasSummary }) =>
      hasSummary === true ||
      parts?.some((part) => isBinary(part) || (part.type === 'tool_result' && part.is_error === undefined)),
  );
}
