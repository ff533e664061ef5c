/** The account pages, in display order. */
export const ACCOUNT_PAGES = [
  'profile',
  'settings',
  'password',
  'sessions',
  'approvals',
  'connections',
  'usage',
  'keys',
  'webhooks',
  'data',
] as const;
