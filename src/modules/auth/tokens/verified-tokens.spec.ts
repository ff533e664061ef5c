import { fake } from '../../../../test/support/fake';
import { WITHOUT_KEY } from '../../../common/security/principal';
import { SessionRevokedError } from '../../../common/security/security.errors';
import type { PrincipalService } from '../../user/user.api';
import { VerifiedTokens } from './verified-tokens';

const HEADER = 'Bearer a.b.c';

describe('VerifiedTokens', () => {
  const now = Date.now();
  const claims = { sub: '7', sid: 3, exp: Math.floor(now / 1_000) + 60 };
  const principal = {
    userId: 7,
    sessionId: 3,
    ...WITHOUT_KEY,
    userType: 'normal',
    tier: 'normal',
    language: null,
    groupIds: [],
    defaultAgentId: null,
  } as const;
  const resolve = jest.fn<ReturnType<PrincipalService['resolve']>, [number, number]>();
  let tokens: VerifiedTokens;

  beforeEach(() => {
    resolve.mockReset().mockResolvedValue(principal);
    tokens = new VerifiedTokens(fake<PrincipalService>({ resolve }));
  });

  it('accept only the exact text that was verified', async () => {
    expect(tokens.principalOf(HEADER)).toBeUndefined();
    await tokens.verified(HEADER, claims);
    expect(await tokens.principalOf(HEADER)).toEqual(principal);
    expect(tokens.principalOf(`${HEADER}d`)).toBeUndefined();
    expect(tokens.principalOf(HEADER.toLowerCase())).toBeUndefined();
  });

  it('look up the user each time, and cache no answer', async () => {
    await tokens.verified(HEADER, claims);
    resolve.mockRejectedValue(new SessionRevokedError());
    await expect(tokens.principalOf(HEADER)).rejects.toThrow(SessionRevokedError);
    resolve.mockResolvedValue({ ...principal, tier: 'paid' });
    expect(await tokens.principalOf(HEADER)).toMatchObject({ tier: 'paid' });
    expect(resolve.mock.calls).toEqual([
      [7, 3],
      [7, 3],
      [7, 3],
    ]);
  });

  it('drop a token in the second in which it expires', async () => {
    await tokens.verified(HEADER, claims);
    const time = jest.spyOn(Date, 'now').mockReturnValue(claims.exp * 1_000 - 1);
    expect(await tokens.principalOf(HEADER)).toEqual(principal);
    time.mockReturnValue(claims.exp * 1_000);
    expect(tokens.principalOf(HEADER)).toBeUndefined();
  });

  it('are limited in number and length', async () => {
    const long = `Bearer ${' '.repeat(2_000)}a.b.c`;
    await tokens.verified(long, claims);
    expect(tokens.principalOf(long)).toBeUndefined();
    for (let number = 0; number <= 10_000; number++) {
      await tokens.verified(`Bearer ${number}`, claims);
    }
    expect(tokens.principalOf('Bearer 0')).toBeUndefined();
    expect(await tokens.principalOf('Bearer 1')).toEqual(principal);
  });
});
