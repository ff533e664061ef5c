import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { ApiPaths } from '../http/api-paths';
import { API_KEY_PREFIX } from './api-key-identity';
import { IdentityGuard } from './identity.guard';
import type { Principal } from './principal';
import { PAGE_TOKEN_PREFIX } from './token-identity';

describe('the identity of a caller', () => {
  const owner = Promise.resolve({ userId: 7 } as Principal);

  /** The identity sources that receive a request with this header, in order. */
  async function askedFor(authorization: string) {
    const asked: string[] = [];
    const identity = <Answer>(name: string, answer: Answer) => ({
      principalOf: () => {
        asked.push(name);
        return answer;
      },
      principalOfHash: () => owner,
      reread: () => undefined,
    });
    const guard = new IdentityGuard(
      new Reflector(),
      identity('tokens', undefined),
      identity('tickets', owner),
      identity('keys', owner),
      identity('pages', owner),
      identity('provider tokens', owner),
      { headersOf: () => ({}) } as unknown as ApiPaths,
    );
    const request = { headers: { authorization }, query: { ticket: 'any' } };
    await guard.canActivate(new ExecutionContextHost([request], IdentityGuard));
    return asked;
  }

  it('comes from the API keys alone for a key, and never from a provider', async () => {
    for (const text of [`${API_KEY_PREFIX}1`, API_KEY_PREFIX, `${API_KEY_PREFIX}a.b.c`]) {
      expect(await askedFor(`Bearer ${text}`)).toEqual(['tokens', 'keys']);
    }
    expect(await askedFor(`Bearer ${PAGE_TOKEN_PREFIX}a.b.c`)).toEqual(['tokens', 'pages']);
    expect(await askedFor('Bearer a.b.c')).toEqual(['tokens', 'provider tokens']);
  });
});
