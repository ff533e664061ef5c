import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { TimeLimit } from '../../../common/time-limit';
import { ToolError } from '../../../common/tools/tool.error';
import { ConnectionNeededError } from './connection-needed.error';
import type { CallContext, RegisteredTool, ToolOutcome, ToolWrite } from './registered-tool';
import { type CallTalk, InputNeededError } from './tool-question';

/** Thrown by a tool call that was certainly not made this time. Earlier attempts may have had an effect. */
export class NotMadeError extends ToolError {
  /** @param mayPass whether a retry may succeed, so that a repeatable call is retried */
  constructor(
    message: string,
    readonly mayPass = false,
  ) {
    super(message);
  }
}

/** Calls a tool with a time limit. The caller must have stored the start of the call. */
@Injectable()
export class ToolRunner implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ToolRunner.name);

  onModuleInit(): void {
    watchStrayRejections();
  }

  onApplicationShutdown(): void {
    unwatchStrayRejections();
  }

  /**
   * @param input the result of `ToolRegistry.read`
   * @param signal aborted when the result is no longer needed
   */
  async run(
    { name, call, timeoutSeconds, readOnly }: Pick<RegisteredTool, 'name' | 'call' | 'timeoutSeconds' | 'readOnly'>,
    input: unknown,
    context: Omit<CallContext, 'signal' | 'withResult'>,
    signal?: AbortSignal,
  ): Promise<ToolOutcome> {
    const limit = new TimeLimit(timeoutSeconds * SECOND_MILLISECONDS);
    const ending = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
    const talk = context.talk && pausing(context.talk, limit);
    const writes: ToolWrite[] = [];
    let hasResult = false;
    const withResult: CallContext['withResult'] = (work) => {
      if (readOnly) {
        throw new Error('A tool that is read-only writes nothing.');
      }
      writes.push(async (manager) => {
        const written = await work(manager);
        return hasResult || written === undefined ? null : contentOf(written);
      });
    };
    const straying = new AbortController();
    const onStray = (error: unknown): void => {
      this.logger.error({ error, tool: name }, 'A promise of a tool was rejected, and nothing awaits it.');
      straying.abort(new Error('A promise of the tool was rejected, and nothing awaits it.', { cause: error }));
    };
    try {
      const result = await Promise.race([
        withStrayRejections(onStray, () =>
          Promise.resolve().then(() => call(input, { ...context, talk, withResult, signal: ending })),
        ),
        ended(ending),
        ended(straying.signal),
      ]);
      hasResult = result !== undefined;
      return { state: 'succeeded', content: hasResult || writes.length === 0 ? contentOf(result) : null, writes };
    } catch (error) {
      if (error instanceof ToolError) {
        const isNotMade = error instanceof NotMadeError;
        return { state: 'failed', content: error.message, isMade: !isNotMade, mayPass: isNotMade && error.mayPass };
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

/** Pauses the time limit of the call while it waits for a person. */
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

/** Returns text unchanged and everything else as JSON. @throws TypeError for a value that JSON cannot express */
function contentOf(result: unknown): string {
  const content = typeof result === 'string' ? result : (JSON.stringify(result ?? null) as string | undefined);
  if (content === undefined) {
    throw new TypeError('The tool returned what JSON cannot express.');
  }
  return content;
}

/** Called with the reason of a rejection that nothing awaits. */
type OnStray = (error: unknown) => void;

const calls = new AsyncLocalStorage<OnStray>();
let watchers = 0;

/**
 * Runs work whose unhandled rejections do not end the process, even after the work is done. Call `watchStrayRejections`
 * before.
 */
function withStrayRejections<Result>(onStray: OnStray, work: () => Result): Result {
  return calls.run(onStray, work);
}

/** Sends rejections within such work to its handler. All others still end the process. */
function watchStrayRejections(): void {
  if (watchers++ === 0) {
    process.on('unhandledRejection', onRejection);
  }
}

function unwatchStrayRejections(): void {
  if (--watchers === 0) {
    process.off('unhandledRejection', onRejection);
  }
}

/** Node calls it in the asynchronous context of the promise. */
function onRejection(error: unknown): void {
  const onStray = calls.getStore();
  if (onStray === undefined) {
    throw error;
  }
  onStray(error);
}
