import type { RequiredScope } from './key-scope.decorator';
import type { Scope } from './scopes';
import { ScopeRequiredError } from './security.errors';

/** Classes of callers, for rate limits and quotas (specification §5 rule 6, §8). */
export type Tier = 'normal' | 'paid' | 'admin';

/** `service`: an account for programs, which cannot sign in and only calls with API keys. */
export type UserType = 'normal' | 'admin' | 'service';

/** The caller: the user of a valid access token or API key. */
export interface Principal {
  userId: number;
  /** Id of the login. If the session is revoked, every token of that login becomes invalid. Null for API keys. */
  sessionId: number | null;
  /** Null for access tokens. */
  apiKeyId: number | null;
  /**
   * SHA-256 of the API key that the caller sent. After a rotation, the hash of the former key is no longer valid. Null
   * for access tokens.
   */
  apiKeyHash: string | null;
  /** The scopes of the API key; null for access tokens, which may do everything. */
  scopes: readonly Scope[] | null;
  /** The API key's own limit, in addition to that of its owner; null: it has none. */
  requestsPerMinute: number | null;
  /** The API key's own limit for a UTC day, in addition to the quota of its owner; null: it has none. */
  tokensPerDay: number | null;
  /** The identity provider whose directory uses the API key (SCIM); null: none. */
  identityProviderId: number | null;
  /** Type of the user. Call `isAdministrator` before you show or allow more to an administrator. */
  userType: UserType;
  tier: Tier;
  /** The groups of the user. */
  groupIds: readonly number[];
  /** The user's stored language, or null when none was chosen. */
  language: string | null;
  /** The agent that the user set for new conversations, or null. It may have been deleted. */
  defaultAgentId: number | null;
}

/** @throws ScopeRequiredError if an API key lacks the scope */
export function assertScope(principal: Principal, required: RequiredScope): void {
  if (principal.scopes !== null && (required === null || !hasScope(principal, required))) {
    throw new ScopeRequiredError(required);
  }
}

/** Whether the caller has the scope. Access tokens have all scopes. */
export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** The key-related members of a caller with an access token, who has no limits of a key. */
export const WITHOUT_KEY = {
  apiKeyId: null,
  apiKeyHash: null,
  scopes: null,
  requestsPerMinute: null,
  tokensPerDay: null,
  identityProviderId: null,
} as const;

/**
 * Whether the caller acts as an administrator on a route that is open to all users. An administrator's key needs this
 * scope, so that it never shows more than intended.
 */
export function isAdministrator(principal: Principal, scope: Scope): boolean {
  return principal.userType === 'admin' && hasScope(principal, scope);
}
