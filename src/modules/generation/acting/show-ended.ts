import type { RunningReply } from '../reply/running-reply';
import type { ToolCallEntity } from './tool-call.entity';
import { toolText } from './tool-text';

/** Shows the reply's readers, and its model, the results that it does not have yet. */
export function showEnded(reply: RunningReply, calls: readonly ToolCallEntity[]): void {
  for (const { number, state, endedAt, result, isError, durationMs } of calls) {
    const part = reply.toolCalls[number];
    const isShown = reply.toolResults.some(({ id }) => id === part?.id);
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
