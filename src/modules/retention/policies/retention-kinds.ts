/** The kinds of data that policies delete, in the order in which a sweep handles them. */
export const RETENTION_KINDS = ['chats', 'files', 'events', 'failed_replies', 'traces', 'ledger', 'audit'] as const;

export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const RETENTION_SCOPES = ['service', 'group'] as const;

export type RetentionScope = (typeof RETENTION_SCOPES)[number];

/** Days that data is kept. Null: for ever. */
export type KeptDays = number | null;

export const MOST_DAYS = 36_500;

/** Kinds whose rows belong to the service, so that no group can have a policy for them. */
export const SERVICE_KINDS: ReadonlySet<RetentionKind> = new Set(['events', 'ledger', 'audit']);

/** What applies if there is no policy: for how long the service keeps the data by itself. */
export const DEFAULT_DAYS: Readonly<Record<RetentionKind, KeptDays>> = {
  chats: null,
  files: null,
  events: 30,
  failed_replies: 30,
  traces: null,
  ledger: null,
  audit: null,
};

/** Whether the first period is longer than the second one. */
export function isLonger(one: KeptDays, other: KeptDays): boolean {
  return one === null ? other !== null : other !== null && one > other;
}

export function longest(periods: readonly KeptDays[]): KeptDays {
  return periods.includes(null) ? null : Math.max(...(periods as number[]));
}
