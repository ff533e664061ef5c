/** What API keys may be allowed to do. Each route that keys may open names one of these. */
export const SCOPES = [
  'chat:read',
  'chat:write',
  'agents:read',
  'agents:write',
  'usage:read',
  'webhooks',
  'openai',
  'admin:read',
  'admin:write',
] as const;

export type Scope = (typeof SCOPES)[number];
