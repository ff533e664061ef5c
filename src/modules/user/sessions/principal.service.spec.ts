import { fake } from '../../../../test/support/fake';
import { Clock } from '../../../common/clock';
import { type RedisConnection } from '../../../common/redis/redis-connection';
import { AccountBannedError, SessionRevokedError } from '../../../common/security/security.errors';
import { type Database } from '../../../database/database';
import { type UserEntity } from '../account/user.entity';
import { PrincipalService } from './principal.service';
import { type SessionEntity } from './session.entity';
import { type SessionRetention } from './session.retention';

describe('PrincipalService', () => {
  let rows: { user: object | null; session: object | null };
  let queries: number;
  let published: string[];
  let hear: (userId: string) => void;
  let clock: Clock;
  let principals: PrincipalService;

  class ReadPrincipals extends PrincipalService {
    protected override readUser(): Promise<UserEntity> {
      queries++;
      return Promise.resolve(rows.user as UserEntity);
    }

    protected override readSession(): Promise<SessionEntity> {
      queries++;
      return Promise.resolve(rows.session as SessionEntity);
    }
  }

  beforeEach(() => {
    const user = { id: 7, userType: 'normal', membershipType: 'free', status: 'active', language: 'de' };
    rows = {
      user: {
        ...user,
        membershipExpiresAt: null,
        bannedUntil: null,
        suspendedAt: null,
        settings: { default_agent_id: 5 },
      },
      session: { id: 3, expiresAt: new Date(Date.now() + 3_600_000), scope: null },
    };
    queries = 0;
    published = [];
    clock = new Clock();
    const database = { onCommit: (callback: () => void) => callback() };
    const redis = {
      subscribe: (_channel: string, handler: (message: string) => void) => {
        hear = handler;
        return {};
      },
      publish: (_channel: string, message: string) => published.push(message),
    };
    principals = new ReadPrincipals(
      fake<Database>(database),
      clock,
      fake<RedisConnection>(redis),
      fake<SessionRetention>({ note: () => undefined }),
    );
  });

  it('queries the database once for any number of requests', async () => {
    await Promise.all(Array.from({ length: 50 }, () => principals.resolve(7, 3)));
    expect(await principals.resolve(7, 3)).toEqual({
      userId: 7,
      sessionId: 3,
      apiKeyId: null,
      apiKeyHash: null,
      scopes: null,
      identityProviderId: null,
      requestsPerMinute: null,
      tokensPerDay: null,
      userType: 'normal',
      tier: 'normal',
      groupIds: [],
      language: 'de',
      defaultAgentId: 5,
    });
    expect(queries).toBe(2);
  });

  it('uses the new state as soon as a change is invalidated here, and notifies the other instances', async () => {
    await principals.resolve(7, 3);
    rows.session = null;
    principals.forget(7);
    await expect(principals.resolve(7, 3)).rejects.toBeInstanceOf(SessionRevokedError);
    expect(published).toEqual(['7']);
  });

  it('uses the new state as soon as another instance reports it', async () => {
    await principals.resolve(7, 3);
    rows.user = { ...rows.user, status: 'banned' };
    hear('8');
    await expect(principals.resolve(7, 3)).resolves.toBeDefined();
    hear('7');
    await expect(principals.resolve(7, 3)).rejects.toBeInstanceOf(AccountBannedError);
  });

  it('computes the tier and the ban at the time of the request', async () => {
    const now = Date.now();
    const end = new Date(now + 1_000);
    rows.user = {
      ...rows.user,
      membershipType: 'yearly',
      membershipExpiresAt: end,
      status: 'banned',
      bannedUntil: end,
    };
    await expect(principals.resolve(7, 3)).rejects.toBeInstanceOf(AccountBannedError);
    jest.spyOn(clock, 'now').mockReturnValue(end);
    expect((await principals.resolve(7, 3)).tier).toBe('normal');
    jest.spyOn(clock, 'now').mockReturnValue(new Date(now + 7_200_000));
    await expect(principals.resolve(7, 3)).rejects.toBeInstanceOf(SessionRevokedError);
    expect(queries).toBe(2);
  });
});
