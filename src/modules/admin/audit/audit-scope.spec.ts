import { setImmediate as nextTurn } from 'node:timers/promises';
import { from, lastValueFrom } from 'rxjs';
import { type AuditedRequest, AuditScope } from './audit-scope';

describe('the scope of an audited request', () => {
  it('lasts until its own request ends, whichever others end before, and no longer', async () => {
    const scope = new AuditScope();
    const seen = await Promise.all(
      [1, 2, 5].map(async (turns) => {
        const request = { actor: {}, isRecorded: false } as AuditedRequest;
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
});
