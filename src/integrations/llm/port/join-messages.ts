import type { ModelMessage } from './language-model-provider';
import type { MessagePart } from './message-parts';

/** Two turns of one role as one: some models refuse two of them in a row. */
export function joinMessages(one: ModelMessage, next: ModelMessage): ModelMessage {
  const hasParts = one.parts !== undefined || next.parts !== undefined;
  const hasSummary = one.hasSummary ?? next.hasSummary;
  return {
    role: one.role,
    content: [one.content, next.content].filter((text) => text !== '').join('\n\n'),
    ...(hasParts && { parts: [...partsOf(one), ...partsOf(next)] }),
    ...(hasSummary && { hasSummary }),
  };
}

function partsOf({ content, parts }: ModelMessage): readonly MessagePart[] {
  return parts ?? (content === '' ? [] : [{ type: 'text', text: content }]);
}
