import { AnthropicMessage, objectIn, readAnthropicEvent } from '../../../integrations/llm/port/anthropic-message';
import { type LiveReply, MarkReader } from '../../generation/generation.api';
import { SEARCH_KNOWLEDGE } from '../../tool/tool.api';
import { summedUsage } from './summed-usage';

/**
 * The message of an agent whose provider has this API; null if another provider has answered. The rounds of the agent
 * are one message, without calls of its own tools and without the thinking of all rounds but the last.
 *
 * @param model as named in the request
 * @param own names of the agent's own tools
 */
export function agentMessage(
  { steps }: Pick<LiveReply, 'steps'>,
  model: string,
  own: ReadonlySet<string>,
): Record<string, unknown> | null {
  const rounds = messagesIn(steps ?? []);
  const [first] = rounds;
  const last = rounds.at(-1);
  if (first === undefined || last === undefined) {
    return null;
  }
  const { usage: _usage, ...fields } = last.fields;
  const shown = rounds.flatMap((round) => round.content.filter((block) => isShown(block, own, round === last)));
  const content = own.has(SEARCH_KNOWLEDGE) ? shown.map(withoutMarks) : shown;
  const callsClient = content.some(({ type }) => type === 'tool_use');
  return {
    ...fields,
    id: first.fields.id,
    model,
    content,
    ...(fields.stop_reason === 'tool_use' && !callsClient && { stop_reason: 'end_turn' }),
    usage: summedUsage(rounds.map((round) => objectIn(round.fields.usage))),
  };
}

function messagesIn(steps: readonly { kind: string; text?: string }[]): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const { kind, text = '' } of steps) {
    const event = kind === 'event' ? readAnthropicEvent(text) : null;
    if (event?.type === 'message_start' || event?.type === 'message') {
      messages.push(new AnthropicMessage());
    }
    if (event !== null) {
      messages.at(-1)?.add(event);
    }
  }
  return messages;
}

function isShown({ type, name }: Record<string, unknown>, own: ReadonlySet<string>, isLast: boolean): boolean {
  const isThought = type === 'thinking' || type === 'redacted_thinking';
  return isThought ? isLast : type !== 'tool_use' || !own.has(String(name));
}

/** The passages that a text uses are no part of this API, so their marks disappear. */
function withoutMarks(block: Record<string, unknown>): Record<string, unknown> {
  if (block.type !== 'text' || typeof block.text !== 'string') {
    return block;
  }
  const reader = new MarkReader();
  const parts = [...reader.read(block.text), reader.end()];
  return { ...block, text: parts.filter((part) => typeof part === 'string').join('') };
}
