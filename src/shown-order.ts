import type { ShownOrder } from './common/features/features';

/**
 * The order in which clients have always seen what the modules of the service declare. It is not that of the modules, which is
 * also the order in which routes are tried. A new module needs no line here: what it declares comes last.
 */
export const SHOWN_ORDER: ShownOrder = {
  groups: [
    'Authentication',
    'User',
    'Usage',
    'API keys',
    'Conversations',
    'Messages',
    'Agents',
    'Webhooks',
    'OpenAI',
    'Admin: users',
    'Admin: statistics',
    'Admin: content',
    'Admin: settings',
    'Admin: audit',
    'Operation',
  ],
  events: ['user', 'membership', 'api_key', 'chat', 'message', 'agent', 'quota', 'webhook', 'price'],
  exposes: [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'X-Total-Count',
    'X-Quota-Messages-Remaining',
    'X-Quota-Tokens-Remaining',
    'X-Chat-Id',
    'X-User-Message-Id',
    'X-Message-Id',
    'x-vercel-ai-ui-message-stream',
    'Content-Disposition',
    'x-should-retry',
    'X-Ignored-Tools',
    'WWW-Authenticate',
    'X-Cost',
  ],
  scopes: [
    'chat:read',
    'chat:write',
    'agents:read',
    'agents:write',
    'usage:read',
    'webhooks',
    'openai',
    'admin:read',
    'admin:write',
  ],
};
