import { joinMessages, type ModelMessage } from '../../port/language-model-provider';
import type { BinaryPart, MessagePart, TextPart, ToolCallPart } from '../../port/message-parts';
import type { ParameterAdjustments } from '../../port/parameter-adjustment';
import { dataUrlOf } from './data-url';
import { BETWEEN_INSTRUCTIONS, systemTexts } from './system-texts';
import { inToolOrder, toolArgumentsText } from './tool-turns';

/** The API requires a name for every file. */
const UNNAMED_FILE = 'file';

/** The placeholder from Google's documentation for calls with an unknown signature. */
const UNKNOWN_SIGN = { google: { thought_signature: 'skip_thought_signature_validator' } };

/**
 * Messages of `/chat/completions`. All system messages become one at the beginning, because strict chat templates
 * (Qwen, vLLM) refuse others. Reasoning is left out: the API has no field for it, and most servers refuse or ignore it.
 * A model that requires it with its calls says so in a refusal; `adjustments` then has `reasoning_content`.
 */
export function toOpenAiMessages(
  messages: readonly ModelMessage[],
  adjustments: ParameterAdjustments = {},
): readonly object[] {
  const sent = withOneSystem(messages);
  return sent.some(({ parts, hasSummary }) => parts !== undefined || hasSummary)
    ? inToolOrder(sent).flatMap((message) => toWire(message, adjustments))
    : sent;
}

function withOneSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isInPlace = messages.every(({ role }, index) => role !== 'system' || index === 0);
  if (isInPlace) {
    return messages;
  }
  const content = systemTexts(messages).join(BETWEEN_INSTRUCTIONS);
  return [{ role: 'system', content }, ...joinSeparated(messages.filter(({ role }) => role !== 'system'))];
}

/** Joins turns of one role that only had a system message between them. Strict chat templates refuse two in a row. */
function joinSeparated(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role) {
      joined[joined.length - 1] = joinMessages(last, message);
    } else {
      joined.push(message);
    }
  }
  return joined;
}

function toWire({ role, content, parts }: ModelMessage, adjustments: ParameterAdjustments): object[] {
  if (parts === undefined || role === 'system') {
    return [{ role, content }];
  }
  return role === 'assistant' ? [assistantMessage(content, parts, adjustments)] : userMessages(content, parts);
}

function assistantMessage(content: string, parts: readonly MessagePart[], adjustments: ParameterAdjustments): object {
  const calls = parts.filter((part) => part.type === 'tool_call');
  if (calls.length === 0) {
    return { role: 'assistant', content };
  }
  const tool_calls = calls.map(({ id, name, arguments: text }, index) => ({
    id,
    type: 'function',
    function: { name, arguments: toolArgumentsText(text) },
    // Only the first call of a turn has one.
    ...(index === 0 && adjustments.thought_signature && { extra_content: UNKNOWN_SIGN }),
  }));
  const reasoning = adjustments.reasoning_content && { reasoning_content: reasoningOf(parts, calls) };
  return { role: 'assistant', content: content === '' ? null : content, ...reasoning, tool_calls };
}

/** If the reasoning is unknown, a placeholder that differs by turn is sent, because models repeat a constant one. */
function reasoningOf(parts: readonly MessagePart[], calls: readonly ToolCallPart[]): string {
  const known = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n');
  return known === '' ? `I call ${calls.map(({ name, id }) => `${name} (${id})`).join(', ')}.` : known;
}

/**
 * Each result is a separate message. Results come first, because they must follow the calls. The API accepts only text
 * as a result, so images and files that a call returned follow with the id of the call.
 */
function userMessages(content: string, parts: readonly MessagePart[]): object[] {
  const results = parts
    .filter((part) => part.type === 'tool_result')
    .map((part) => ({ role: 'tool', tool_call_id: part.id, content: part.content }));
  const shown = parts.filter(isShown).flatMap(withCall);
  if (shown.some(({ type }) => type !== 'text')) {
    return [...results, { role: 'user', content: shown.map(toWirePart) }];
  }
  return content === '' && results.length > 0 ? results : [...results, { role: 'user', content }];
}

function isShown(part: MessagePart): part is TextPart | BinaryPart {
  return part.type === 'image' || part.type === 'file' || (part.type === 'text' && part.text !== '');
}

function withCall(part: TextPart | BinaryPart): (TextPart | BinaryPart)[] {
  return part.type === 'text' || part.call_id === undefined
    ? [part]
    : [{ type: 'text', text: `Result of ${part.call_id}:` }, part];
}

function toWirePart(part: TextPart | BinaryPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: dataUrlOf(part), ...(part.detail !== null && { detail: part.detail }) },
      };
    case 'file':
      return { type: 'file', file: { filename: part.name ?? UNNAMED_FILE, file_data: dataUrlOf(part) } };
  }
}
