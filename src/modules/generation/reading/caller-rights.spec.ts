import { fake } from '../../../../test/support/fake';
import type { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { SessionRevokedError } from '../../../common/security/security.errors';
import type { Database } from '../../../database/database';
import type { ApiKeyQuery } from '../../api-key/api-key.api';
import type { PrincipalService, SessionQuery, UserDirectoryQuery } from '../../user/user.api';
import { CallerRights } from './caller-rights';

/** Callers with sessions 1 to `COUNT`, and with keys of the same numbers. */
const COUNT = 1_500;

describe('CallerRights', () => {
  let statements = 0;
  const ended = new Set<number>();
  const lost: string[] = [];

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function watchAll(): CallerRights {
    const counted = <Result>(result: Result): Promise<Result> => {
      statements++;
      return Promise.resolve(result);
    };
    const rights = new CallerRights(
      fake<Database>({ onReady: (start: () => Promise<void>) => void start() }),
      fake<PrincipalService>({
        reread: () => undefined,
        resolve: () => Promise.reject(new SessionRevokedError()),
      }),
      fake<ApiKeyIdentity>({}),
      fake<UserDirectoryQuery>({ withoutAccess: () => counted(new Set<number>()) }),
      fake<SessionQuery>({
        activeAmong: (ids: readonly number[]) => counted(new Set(ids.filter((id) => !ended.has(id)))),
      }),
      fake<ApiKeyQuery>({
        activeAmong: (ids: readonly number[]) => counted(new Map(ids.map((id) => [`hash-${id}`, ['openai']]))),
      }),
    );
    for (let id = 1; id <= COUNT; id++) {
      const onLost = (name: string) => () => void lost.push(name);
      const session = { userId: id, sessionId: id, apiKeyId: null, apiKeyHash: null } as Principal;
      const key = { userId: id, sessionId: null, apiKeyId: id, apiKeyHash: `hash-${id}` } as Principal;
      rights.watch({ caller: session, scope: 'openai', isOver: () => false, onLost: onLost(`session ${id}`) });
      rights.watch({ caller: key, scope: 'openai', isOver: () => false, onLost: onLost(`key ${id}`) });
    }
    return rights;
  }

  it('checks thousands of callers with three statements for each thousand, and ends only those who lost a right', async () => {
    const rights = watchAll();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(statements).toBe((3 * 2 * COUNT) / 1_000);
    ended.add(7);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(lost).toEqual(['session 7']);
    await rights.onApplicationShutdown();
  });
});
