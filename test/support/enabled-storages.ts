import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The storages used from now on and not disabled: Node 20 spends time on each promise while there is one. The test
 * restores the mocks.
 */
export function watchStorages(): Set<unknown> {
  const enabled = new Set<unknown>();
  const storage = AsyncLocalStorage.prototype as AsyncLocalStorage<unknown>;
  const { run, disable } = storage;
  jest.spyOn(storage, 'run').mockImplementation(function (this: AsyncLocalStorage<unknown>, ...given: unknown[]) {
    enabled.add(this);
    return Reflect.apply(run, this, given) as unknown;
  });
  jest.spyOn(storage, 'disable').mockImplementation(function (this: AsyncLocalStorage<unknown>) {
    enabled.delete(this);
    disable.call(this);
  });
  return enabled;
}
