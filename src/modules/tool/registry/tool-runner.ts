import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { ToolContext } from '../../../common/tools/agent-tool.decorator';
import { ToolError } from '../../../common/tools/tool.error';
import type { RegisteredTool, ToolOutcome, ToolWrite } from './registered-tool';

/** Calls a tool with a time limit. Whoever calls it has written down that it does. */
@Injectable()
export class ToolRunner {
  /**
   * @param input as `ToolRegistry.read` gave it
   * @param signal of who waits for the result
   */
  async run(
    { call, timeoutSeconds, readOnly }: Pick<RegisteredTool, 'call' | 'timeoutSeconds' | 'readOnly'>,
    input: unknown,
    context: Omit<ToolContext, 'signal' | 'withResult'>,
    signal?: AbortSignal,
  ): Promise<ToolOutcome> {
    const limit = AbortSignal.timeout(timeoutSeconds * SECOND_MILLISECONDS);
    const ending = signal === undefined ? limit : AbortSignal.any([limit, signal]);
    const writes: ToolWrite[] = [];
    const withResult = (work: ToolWrite): void => {
      if (readOnly) {
        throw new Error('A tool that is read-only writes nothing.');
      }
      writes.push(work);
    };
    try {
      const result = await Promise.race([
        Promise.resolve().then(() => call(input, { ...context, withResult, signal: ending })),
        ended(ending),
      ]);
      return { state: 'succeeded', content: contentOf(result), writes };
    } catch (error) {
      if (error instanceof ToolError) {
        return { state: 'failed', content: error.message };
      }
      const reason = limit.aborted ? 'timeout' : ending.aborted ? 'aborted' : 'error';
      return { state: 'unknown', reason, cause: error };
    }
  }
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Text as it is, and everything else as JSON. */
function contentOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}
