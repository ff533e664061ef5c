import { AnthropicMessage, isObject, readAnthropicEvent } from '../../../integrations/llm/port/anthropic-message';
import type { LiveReply } from '../reply/live-reply';
import type { ReplyStep } from '../reply/reply-step';

type ToolResult = Extract<ReplyStep, { kind: 'tool_result' }>;

interface Round {
  message: AnthropicMessage;
  /** The numbers of the calls among all calls of the reply, in the order of their blocks. */
  calls: number[];
  results: ToolResult[];
}

/**
 * The earlier rounds of a reply as turns of Anthropic's API: the provider's own blocks, which include signatures, and
 * the results of the calls that the service made.
 */
export function anthropicTurns({ steps }: Pick<LiveReply, 'steps'>): object[] {
  return roundsIn(steps ?? []).flatMap(({ message, calls, results }) => {
    const ids = message.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const blocks = results.map(({ call, content, is_error }) => ({
      type: 'tool_result',
      tool_use_id: ids[calls.indexOf(call)],
      content,
      ...(is_error && { is_error }),
    }));
    return blocks.length === 0
      ? []
      : [
          { role: 'assistant', content: message.content.filter(isObject) },
          { role: 'user', content: blocks },
        ];
  });
}

function roundsIn(steps: readonly ReplyStep[]): Round[] {
  const rounds: Round[] = [];
  for (const step of steps) {
    if (step.kind === 'event') {
      const event = readAnthropicEvent(step.text) ?? {};
      if (event.type === 'message_start' || event.type === 'message') {
        rounds.push({ message: new AnthropicMessage(), calls: [], results: [] });
      }
      rounds.at(-1)?.message.add(event);
    } else if (step.kind === 'tool_call') {
      rounds.at(-1)?.calls.push(step.call);
    } else if (step.kind === 'tool_result') {
      rounds.at(-1)?.results.push(step);
    }
  }
  return rounds;
}
