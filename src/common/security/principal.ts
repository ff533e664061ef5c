import type { RequiredScope } from './key-scope.decorator';
import type { Scope } from './scopes';
import { ScopeRequiredError } from './security.errors';

/** Classes of callers, for rate limits and quotas (specification §5 rule 6, §8). */
export type Tier = 'normal' | 'paid' | 'admin';

/** `service`: an account for programs, which has no login and only calls with API keys. */
export type UserType = 'normal' | 'admin' | 'service';

/** The caller: the user of a valid access token or API key. */
export interface Principal {
  userId: number;
  /** Id of the login. When the session is revoked, every token of that login becomes invalid. Null for API keys. */
  sessionId: number | null;
  /** Null for access tokens. */
  apiKeyId: number | null;
  /** SHA-256 of the API key's text that the caller has: after a rotation an earlier text opens nothing. Null for access tokens. */
  apiKeyHash: string | null;
  /** What the API key may do; null for access tokens, which may do everything. */
  scopes: readonly Scope[] | null;
  /** The API key's own limit, beside that of its owner; null: it has none. */
  requestsPerMinute: number | null;
  /** The API key's own limit for a UTC day, beside the quota of its owner; null: it has none. */
  tokensPerDay: number | null;
  /** The identity provider whose directory the API key speaks for (SCIM); null: none. */
  identityProviderId: number | null;
  /** Of the user. Ask `isAdministrator` before you show or do more for an administrator. */
  userType: UserType;
  tier: Tier;
  /** The groups that the user is in. */
  groupIds: readonly number[];
  /** The user's stored language, or null when none was chosen. */
  language: string | null;
  /** The agent that the user set for new conversations, or null. It may be gone by now. */
  defaultAgentId: number | null;
}

/** @throws ScopeRequiredError when an API key lacks the scope */
export function assertScope(principal: Principal, required: RequiredScope): void {
  if (principal.scopes !== null && (required === null || !hasScope(principal, required))) {
    throw new ScopeRequiredError(required);
  }
}

/** Whether the caller has the scope; access tokens have all of them. */
export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** The members of a caller with an access token, who has no limits of a key. */
export const WITHOUT_KEY = {
  apiKeyId: null,
  apiKeyHash: null,
  scopes: null,
  requestsPerMinute: null,
  tokensPerDay: null,
  identityProviderId: null,
} as const;

/**
 * Whether the caller acts as an administrator on a route that everybody may use. The key of an administrator does so only
 * with this scope, so a key never shows more than it was made for.
 */
export function isAdministrator(principal: Principal, scope: Scope): boolean {
  return principal.userType === 'admin' && hasScope(principal, scope);
}
