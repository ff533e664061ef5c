import { AsyncLocalStorage } from 'node:async_hooks';

/** Called with the reason of a rejection that nothing awaits. */
type OnStray = (error: unknown) => void;

const calls = new AsyncLocalStorage<OnStray>();
let watchers = 0;

/**
 * Runs work whose unhandled rejections do not end the process, even after the work is done. Call `watchStrayRejections`
 * before.
 */
export function withStrayRejections<Result>(onStray: OnStray, work: () => Result): Result {
  return calls.run(onStray, work);
}

/** Sends rejections within such work to its handler. All others still end the process. */
export function watchStrayRejections(): void {
  if (watchers++ === 0) {
    process.on('unhandledRejection', onRejection);
  }
}

export function unwatchStrayRejections(): void {
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
