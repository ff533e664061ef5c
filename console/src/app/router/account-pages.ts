/** The pages of one's own account, in their order. */
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
