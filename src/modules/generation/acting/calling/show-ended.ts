import type { ReplyStep } from '../../reply/reply-step';
import type { RunningReply } from '../../reply/running-reply';
import type { ToolCallEntity } from '../tool-call.entity';
import { toolText } from './tool-text';

/** What readers are told of a call that is written down. */
export function startedStep({
  number: call,
  state,
  policy,
  arguments: value,
  server,
}: Pick<ToolCallEntity, 'number' | 'state' | 'policy' | 'arguments' | 'server'>): ReplyStep & { kind: 'tool_started' } {
  return {
    ...{ kind: 'tool_started', call, state },
    ...(policy === 'ask' && state !== 'denied' && { asked: true }),
    ...(value !== null && value !== undefined && { arguments: JSON.stringify(value) }),
    ...(server !== null && { server }),
  };
}

/** Shows the reply's readers, and its model, the results that it does not have yet, and lets it know how the other calls stand. */
export function showEnded(reply: RunningReply, calls: readonly ToolCallEntity[]): void {
  for (const call of calls) {
    const { number, state, endedAt, result, isError, durationMs } = call;
    const part = reply.toolCalls[number];
    const isShown = reply.toolResults.some(({ id }) => id === part?.id);
    if (part?.state === undefined) {
      // A crash came between: the call was written down, and nobody was told.
      reply.tellTool(startedStep(call));
    }
    if (part !== undefined && endedAt === null) {
      // Readers are told what is asked; the reply itself says how the call stands, as long as that has no result.
      part.state = state;
    }
    if (part !== undefined && endedAt !== null && !isShown) {
      const { told: content } = toolText(result ?? '');
      const ms = durationMs ?? undefined;
      reply.tellTool({
        kind: 'tool_result',
        call: number,
        content,
        is_error: isError,
        state,
        ...(ms !== undefined && { ms }),
      });
    }
  }
}
