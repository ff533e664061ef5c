import { AsyncLocalStorage } from 'node:async_hooks';

/** Called with what a promise was rejected with that nothing awaits. */
type OnStray = (error: unknown) => void;

const calls = new AsyncLocalStorage<OnStray>();
let watchers = 0;

/** Does work whose rejected promises do not end the process, also when the work is done. `watchStrayRejections` comes first. */
export function withStrayRejections<Result>(onStray: OnStray, work: () => Result): Result {
  return calls.run(onStray, work);
}

/** From now on rejections within such work reach its handler. All others end the process as before. */
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
