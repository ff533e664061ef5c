/** Caller classes that rate limits and quotas tell apart (specification §5 rule 6, §8). */
export type Tier = 'normal' | 'paid' | 'admin';

/** Who calls: the user and session behind a valid access token. */
export interface Principal {
  userId: number;
  /** Identifies the login; revoking it ends every token of that login. */
  sessionId: number;
  userType: 'normal' | 'admin';
  tier: Tier;
  /** The user's stored language, or null when none was chosen. */
  language: string | null;
}

/** Who calls, by which request: for what goes on after the request has ended, and has to be traced to it. */
export interface Requester extends Principal {
  /** X-Request-Id. */
  requestId: string;
}
