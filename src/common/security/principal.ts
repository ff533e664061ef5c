/** Classes of callers, for rate limits and quotas (specification §5 rule 6, §8). */
export type Tier = 'normal' | 'paid' | 'admin';

/** The caller: the user and session of a valid access token. */
export interface Principal {
  userId: number;
  /** Id of the login. When the session is revoked, every token of that login becomes invalid. */
  sessionId: number;
  userType: 'normal' | 'admin';
  tier: Tier;
  /** The user's stored language, or null when none was chosen. */
  language: string | null;
  /** The agent that the user set for new conversations, or null. It may be gone by now. */
  defaultAgentId: number | null;
}
