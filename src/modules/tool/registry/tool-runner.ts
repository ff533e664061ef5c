import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { TimeLimit } from '../../../common/time-limit';
import { ToolError } from '../../../common/tools/tool.error';
import { ConnectionNeededError } from './connection-needed.error';
import { NotMadeError } from './not-made.error';
import type { CallContext, RegisteredTool, ToolOutcome, ToolWrite } from './registered-tool';
import { type CallTalk, InputNeededError } from './tool-question';

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
    context: Omit<CallContext, 'signal' | 'withResult'>,
    signal?: AbortSignal,
  ): Promise<ToolOutcome> {
    const limit = new TimeLimit(timeoutSeconds * SECOND_MILLISECONDS);
    const ending = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
    const talk = context.talk && pausing(context.talk, limit);
    const writes: ToolWrite[] = [];
    const withResult = (work: ToolWrite): void => {
      if (readOnly) {
        throw new Error('A tool that is read-only writes nothing.');
      }
      writes.push(work);
    };
    try {
      const result = await Promise.race([
        Promise.resolve().then(() => call(input, { ...context, talk, withResult, signal: ending })),
        ended(ending),
      ]);
      return { state: 'succeeded', content: contentOf(result), writes };
    } catch (error) {
      if (error instanceof ToolError) {
        return { state: 'failed', content: error.message, isMade: !(error instanceof NotMadeError) };
      }
      if (error instanceof ConnectionNeededError || error instanceof InputNeededError) {
        return { state: 'needed', need: error };
      }
      const reason = limit.isOver ? 'timeout' : ending.aborted ? 'aborted' : 'error';
      return { state: 'unknown', reason, cause: error };
    } finally {
      limit.end();
    }
  }
}

/** While a person is waited for, the time of the call stands still. */
function pausing(talk: CallTalk, limit: TimeLimit): CallTalk {
  return { ...talk, ask: (question, signal) => limit.without(() => talk.ask(question, signal)) };
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
