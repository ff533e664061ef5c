import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { from, lastValueFrom } from 'rxjs';
import { watchStorages } from '../../../../test/support/enabled-storages';
import { type AuditedRequest, AuditScope } from './audit-scope';

describe('the scope of an audited request', () => {
  it('lasts until its own request ends, in any order of requests', async () => {
    const scope = new AuditScope();
    const seen = await Promise.all(
      [1, 2, 5].map(async (turns) => {
        const request = { context: {}, isRecorded: false } as AuditedRequest;
        const work = async (): Promise<boolean> => {
          for (let turn = 0; turn < turns; turn++) {
            await nextTurn();
          }
          return scope.current === request;
        };
        return lastValueFrom(scope.run(request, () => from(work())));
      }),
    );
    expect(seen).toEqual([true, true, true]);
    expect(scope.current).toBeUndefined();
  });

  it('belongs to its own request in nested, slow and failing calls, and costs nothing after the last', async () => {
    const enabled = watchStorages();
    const scope = new AuditScope();
    const begin = async (turns: number, depth: number): Promise<boolean> => {
      const request = { context: {}, isRecorded: false } as AuditedRequest;
      const work = async (): Promise<boolean> => {
        for (let turn = 0; turn < turns; turn++) {
          await nextTurn();
        }
        const isInnerRight = depth === 0 || (await begin(turns, depth - 1));
        await nextTurn();
        if (turns % 3 === 0) {
          throw new Error(String(isInnerRight && scope.current === request));
        }
        return isInnerRight && scope.current === request;
      };
      return lastValueFrom(scope.run(request, () => from(work()))).catch((error: Error) => error.message === 'true');
    };
    const seen = await Promise.all([1, 2, 3, 4, 6, 9].map((turns) => begin(turns, turns % 2)));
    expect(seen).toEqual(Array(6).fill(true));
    // Other tests' shared instance also has storages in this process.
    const own: unknown = scope['storage'];
    expect(enabled).not.toContain(own);
    const { contexts } = jest.mocked(AsyncLocalStorage.prototype.disable).mock;
    expect(contexts.filter((storage) => storage === own)).toHaveLength(1);
    jest.restoreAllMocks();
  });
});
