// Made by client/generate.mjs from the OpenAPI document.
import type { Pages } from '../pages';
import type { MethodRequest } from '../request';
import type * as types from './types';

/** The route of each operation. */
export const ROUTES = {
  health: {
    check: { method: 'GET', answers: 'json', path: '/health' },
    ready: { method: 'GET', answers: 'json', path: '/health/ready' },
    live: { method: 'GET', answers: 'json', path: '/health/live' },
  },
  metrics: {
    read: { method: 'GET', answers: 'text', path: '/metrics' },
  },
  branding: {
    read: { method: 'GET', answers: 'json', path: '/api/v1/branding' },
  },
  users: {
    me: { method: 'GET', answers: 'json', path: '/api/v1/users/me' },
  },
  account: {
    upgrade: { method: 'POST', answers: 'json', path: '/api/v1/user/upgrade' },
    export: { method: 'GET', answers: 'json', path: '/api/v1/user/export' },
    changePassword: { method: 'POST', answers: 'json', path: '/api/v1/user/change_password' },
    close: { method: 'DELETE', answers: 'json', path: '/api/v1/user/account' },
  },
  sessions: {
    list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/sessions' },
    endOthers: { method: 'DELETE', answers: 'json', path: '/api/v1/user/sessions' },
    end: { method: 'DELETE', answers: 'json', path: '/api/v1/user/sessions/{id}' },
  },
  profile: {
    read: { method: 'GET', answers: 'json', path: '/api/v1/user/profile' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/user/profile' },
  },
  settings: {
    read: { method: 'GET', answers: 'json', path: '/api/v1/user/settings' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/user/settings' },
  },
  auth: {
    sendCode: { method: 'POST', answers: 'json', path: '/api/v1/auth/send_code' },
    verify: { method: 'POST', answers: 'json', path: '/api/v1/auth/verify' },
    register: { method: 'POST', answers: 'json', path: '/api/v1/auth/register' },
    logIn: { method: 'POST', answers: 'json', path: '/api/v1/auth/login' },
    me: { method: 'GET', answers: 'json', path: '/api/v1/auth/me' },
    refresh: { method: 'POST', answers: 'json', path: '/api/v1/auth/refresh_token' },
    resetPassword: { method: 'POST', answers: 'json', path: '/api/v1/auth/reset_password' },
    logOut: { method: 'POST', answers: 'json', path: '/api/v1/auth/logout' },
    issueToken: { method: 'POST', answers: 'json', path: '/api/v1/auth/token' },
    listProviders: { method: 'GET', answers: 'json', path: '/api/v1/auth/providers' },
    exchangeLoginCode: { method: 'POST', answers: 'json', path: '/api/v1/auth/oidc/exchange' },
    linkIdentity: { method: 'POST', answers: 'json', path: '/api/v1/auth/oidc/link' },
    endProviderSessions: { method: 'POST', answers: 'text', path: '/api/v1/auth/oidc/{slug}/backchannel_logout' },
  },
  setup: {
    status: { method: 'GET', answers: 'json', path: '/api/v1/setup' },
    createAdministrator: { method: 'POST', answers: 'json', path: '/api/v1/setup/administrator' },
  },
  admin: {
    invitations: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/invitations' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/invitations' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/invitations/{id}' },
    },
    identityProviders: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/identity_providers' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/identity_providers' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/identity_providers/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/identity_providers/{id}' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/identity_providers/{id}' },
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/identity_providers/{id}/test' },
    },
    apiKeys: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/api-keys' },
      revoke: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/api-keys/{id}' },
    },
    users: {
      createApiKey: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/api-keys' },
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/users' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/users' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/users/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/users/{id}' },
      close: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/users/{id}' },
      usage: { method: 'GET', answers: 'json', path: '/api/v1/admin/users/{id}/usage' },
      ban: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/ban' },
      unban: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/unban' },
      reinstate: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/reinstate' },
      revokeSessions: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/revoke_sessions' },
      restore: { method: 'POST', answers: 'json', path: '/api/v1/admin/users/{id}/restore' },
    },
    prices: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/prices' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/prices' },
      bundled: { method: 'GET', answers: 'json', path: '/api/v1/admin/prices/bundled' },
      import: { method: 'POST', answers: 'json', path: '/api/v1/admin/prices/import' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/prices/{id}' },
      recompute: { method: 'POST', answers: 'json', path: '/api/v1/admin/prices/recompute' },
    },
    budgets: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/budgets' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/budgets' },
      unpricedModels: { method: 'GET', answers: 'json', path: '/api/v1/admin/budgets/unpriced_models' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/budgets/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/budgets/{id}' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/budgets/{id}' },
      reset: { method: 'POST', answers: 'json', path: '/api/v1/admin/budgets/{id}/reset' },
    },
    groups: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/groups' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/groups' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/groups/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/groups/{id}' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/groups/{id}' },
      listMembers: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/groups/{id}/members' },
      addMember: { method: 'POST', answers: 'json', path: '/api/v1/admin/groups/{id}/members' },
      removeMember: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/groups/{id}/members/{user_id}' },
    },
    actions: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/actions' },
    },
    messages: {
      readTrace: { method: 'GET', answers: 'json', path: '/api/v1/admin/messages/{message_id}/trace' },
    },
    replies: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/replies' },
      byModel: { method: 'GET', answers: 'json', path: '/api/v1/admin/replies/models' },
    },
    tools: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/tools' },
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/tools/{name}/test' },
      statistics: { method: 'GET', answers: 'json', path: '/api/v1/admin/tools/statistics' },
    },
    mcpServers: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/mcp_servers' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/mcp_servers' },
      export: { method: 'GET', answers: 'json', path: '/api/v1/admin/mcp_servers/export' },
      import: { method: 'POST', answers: 'json', path: '/api/v1/admin/mcp_servers/import' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/mcp_servers/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/mcp_servers/{id}' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/mcp_servers/{id}' },
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/mcp_servers/{id}/test' },
      refresh: { method: 'POST', answers: 'json', pages: 'page', path: '/api/v1/admin/mcp_servers/{id}/refresh' },
      tools: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/mcp_servers/{id}/tools' },
      decide: { method: 'PUT', answers: 'json', path: '/api/v1/admin/mcp_servers/{id}/tools/{name}' },
    },
    costs: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/costs' },
    },
    stats: {
      overview: { method: 'GET', answers: 'json', path: '/api/v1/admin/stats/overview' },
      usage: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/stats/usage' },
    },
    attention: {
      list: { method: 'GET', answers: 'json', path: '/api/v1/admin/attention' },
    },
    chats: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/chats' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/chats/{id}' },
    },
    feedback: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/feedback' },
    },
    plans: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/plans' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/plans/{membership_type}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/plans/{membership_type}' },
    },
    settings: {
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/settings' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/settings' },
      testMail: { method: 'POST', answers: 'json', path: '/api/v1/admin/settings/test_mail' },
    },
    models: {
      list: { method: 'GET', answers: 'json', path: '/api/v1/admin/models' },
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/models/test' },
    },
    providers: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/providers' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/admin/providers' },
      discover: { method: 'POST', answers: 'json', path: '/api/v1/admin/providers/discover' },
      read: { method: 'GET', answers: 'json', path: '/api/v1/admin/providers/{id}' },
      update: { method: 'PUT', answers: 'json', path: '/api/v1/admin/providers/{id}' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/admin/providers/{id}' },
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/providers/{id}/test' },
      listModels: { method: 'GET', answers: 'json', path: '/api/v1/admin/providers/{id}/models' },
    },
    email: {
      test: { method: 'POST', answers: 'json', path: '/api/v1/admin/email/test' },
    },
    webhooks: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/webhooks' },
    },
    audit: {
      list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/admin/audit_logs' },
    },
  },
  identities: {
    list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/identities' },
    start: { method: 'POST', answers: 'json', path: '/api/v1/user/identities/start' },
    unlink: { method: 'DELETE', answers: 'json', path: '/api/v1/user/identities/{id}' },
  },
  apiKeys: {
    list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/api-keys' },
    create: { method: 'POST', answers: 'json', path: '/api/v1/user/api-keys' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/user/api-keys/{id}' },
    revoke: { method: 'DELETE', answers: 'json', path: '/api/v1/user/api-keys/{id}' },
    rotate: { method: 'POST', answers: 'json', path: '/api/v1/user/api-keys/{id}/rotate' },
    usage: { method: 'GET', answers: 'json', path: '/api/v1/user/api-keys/{id}/usage' },
  },
  usage: {
    stats: { method: 'GET', answers: 'json', path: '/api/v1/user/usage-stats' },
    totals: { method: 'GET', answers: 'json', path: '/api/v1/user/total-stats' },
    quota: { method: 'GET', answers: 'json', path: '/api/v1/user/quota' },
    budget: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/budget' },
  },
  agents: {
    listActive: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat/agents/active' },
    export: { method: 'GET', answers: 'json', path: '/api/v1/agents/export' },
    import: { method: 'POST', answers: 'json', path: '/api/v1/agents/import' },
    list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/agents' },
    create: { method: 'POST', answers: 'json', path: '/api/v1/agents' },
    read: { method: 'GET', answers: 'json', path: '/api/v1/agents/{id}' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/agents/{id}' },
    remove: { method: 'DELETE', answers: 'json', path: '/api/v1/agents/{id}' },
    listVersions: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/agents/{id}/versions' },
    restoreVersion: { method: 'POST', answers: 'json', path: '/api/v1/agents/{id}/versions/{version}/restore' },
    duplicate: { method: 'POST', answers: 'json', path: '/api/v1/agents/{id}/duplicate' },
    test: { method: 'POST', answers: 'json', path: '/api/v1/agents/{id}/test' },
    stats: { method: 'GET', answers: 'json', path: '/api/v1/agents/{id}/stats' },
  },
  chat: {
    actions: {
      list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat/{chat_id}/actions' },
      decide: { method: 'POST', answers: 'stream', isKeyed: true, path: '/api/v1/chat/{chat_id}/actions/{action_id}' },
    },
    readTrace: { method: 'GET', answers: 'json', path: '/api/v1/chat/{chat_id}/messages/{message_id}/trace' },
    list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat' },
    create: { method: 'POST', answers: 'json', isKeyed: true, path: '/api/v1/chat' },
    listTrash: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat/trash' },
    read: { method: 'GET', answers: 'json', path: '/api/v1/chat/{chat_id}' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/chat/{chat_id}' },
    remove: { method: 'DELETE', answers: 'json', path: '/api/v1/chat/{chat_id}' },
    switchLine: { method: 'PUT', answers: 'json', path: '/api/v1/chat/{chat_id}/line' },
    markRead: { method: 'POST', answers: 'json', path: '/api/v1/chat/{chat_id}/read' },
    restore: { method: 'POST', answers: 'json', path: '/api/v1/chat/{chat_id}/restore' },
    send: { method: 'POST', answers: 'stream', isKeyed: true, path: '/api/v1/chat/message' },
    edit: { method: 'PUT', answers: 'stream', isKeyed: true, path: '/api/v1/chat/{chat_id}/messages/{message_id}' },
    regenerate: { method: 'POST', answers: 'stream', isKeyed: true, path: '/api/v1/chat/{chat_id}/messages/{message_id}/regenerate' },
    listMessages: { method: 'GET', answers: 'json', pages: 'message', path: '/api/v1/chat/{chat_id}/messages' },
    rate: { method: 'PUT', answers: 'json', path: '/api/v1/chat/{chat_id}/messages/{message_id}/feedback' },
    readFile: { method: 'GET', answers: 'file', path: '/api/v1/chat/{chat_id}/messages/{message_id}/files/{hash}' },
    stop: { method: 'POST', answers: 'json', path: '/api/v1/chat/{chat_id}/stop' },
    createTicket: { method: 'POST', answers: 'json', path: '/api/v1/chat/{chat_id}/stream-ticket' },
    join: { method: 'GET', answers: 'stream', path: '/api/v1/chat/{chat_id}/stream' },
    shares: {
      list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/chat/{chat_id}/shares' },
      create: { method: 'POST', answers: 'json', path: '/api/v1/chat/{chat_id}/shares' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/chat/{chat_id}/shares/{share_id}' },
    },
  },
  user: {
    actions: {
      list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/actions' },
    },
    approvals: {
      list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/approvals' },
      remove: { method: 'DELETE', answers: 'json', path: '/api/v1/user/approvals/{id}' },
    },
  },
  openai: {
    listModels: { method: 'GET', answers: 'json', path: '/openai/v1/models' },
    readModel: { method: 'GET', answers: 'json', path: '/openai/v1/models/{model}' },
    createCompletion: { method: 'POST', answers: 'stream', path: '/openai/v1/chat/completions' },
    compactResponse: { method: 'POST', answers: 'json', path: '/openai/v1/responses/compact' },
    createResponse: { method: 'POST', answers: 'stream', path: '/openai/v1/responses' },
    readResponse: { method: 'GET', answers: 'stream', path: '/openai/v1/responses/{response_id}' },
    removeResponse: { method: 'DELETE', answers: 'json', path: '/openai/v1/responses/{response_id}' },
    listInputItems: { method: 'GET', answers: 'json', pages: 'cursor', path: '/openai/v1/responses/{response_id}/input_items' },
    cancelResponse: { method: 'POST', answers: 'json', isKeyed: true, path: '/openai/v1/responses/{response_id}/cancel' },
    createConversation: { method: 'POST', answers: 'json', isKeyed: true, path: '/openai/v1/conversations' },
    readConversation: { method: 'GET', answers: 'json', path: '/openai/v1/conversations/{conversation_id}' },
    updateConversation: { method: 'POST', answers: 'json', isKeyed: true, path: '/openai/v1/conversations/{conversation_id}' },
    removeConversation: { method: 'DELETE', answers: 'json', path: '/openai/v1/conversations/{conversation_id}' },
    listItems: { method: 'GET', answers: 'json', pages: 'cursor', path: '/openai/v1/conversations/{conversation_id}/items' },
    addItems: { method: 'POST', answers: 'json', isKeyed: true, path: '/openai/v1/conversations/{conversation_id}/items' },
    readItem: { method: 'GET', answers: 'json', path: '/openai/v1/conversations/{conversation_id}/items/{item_id}' },
    removeItem: { method: 'DELETE', answers: 'json', path: '/openai/v1/conversations/{conversation_id}/items/{item_id}' },
  },
  shared: {
    access: { method: 'GET', answers: 'json', path: '/api/v1/shared' },
    read: { method: 'GET', answers: 'json', path: '/api/v1/shared/{token}' },
    readFile: { method: 'GET', answers: 'file', path: '/api/v1/shared/{token}/files/{hash}' },
    continue: { method: 'POST', answers: 'json', isKeyed: true, path: '/api/v1/shared/{token}/continue' },
  },
  webhooks: {
    listEvents: { method: 'GET', answers: 'json', path: '/api/v1/webhooks/events' },
    list: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/webhooks' },
    create: { method: 'POST', answers: 'json', path: '/api/v1/webhooks' },
    read: { method: 'GET', answers: 'json', path: '/api/v1/webhooks/{id}' },
    update: { method: 'PUT', answers: 'json', path: '/api/v1/webhooks/{id}' },
    remove: { method: 'DELETE', answers: 'json', path: '/api/v1/webhooks/{id}' },
    rotateSecret: { method: 'POST', answers: 'json', path: '/api/v1/webhooks/{id}/rotate_secret' },
    test: { method: 'POST', answers: 'json', path: '/api/v1/webhooks/{id}/test' },
    listDeliveries: { method: 'GET', answers: 'json', pages: 'page', path: '/api/v1/webhooks/{id}/deliveries' },
    readDelivery: { method: 'GET', answers: 'json', path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}' },
    redeliver: { method: 'POST', answers: 'json', path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver' },
    replay: { method: 'POST', answers: 'json', path: '/api/v1/webhooks/{id}/replay' },
  },
  events: {
    read: { method: 'GET', answers: 'stream', path: '/api/v1/events' },
    createTicket: { method: 'POST', answers: 'json', path: '/api/v1/events/ticket' },
  },
  connections: {
    list: { method: 'GET', answers: 'json', pages: 'offset', path: '/api/v1/user/connections' },
    start: { method: 'POST', answers: 'json', path: '/api/v1/user/connections/{label}/start' },
    remove: { method: 'DELETE', answers: 'json', path: '/api/v1/user/connections/{label}' },
    clientDocument: { method: 'GET', answers: 'json', path: '/api/v1/oauth/mcp/client.json' },
  },
  bootstrap: {
    read: { method: 'GET', answers: 'json', path: '/api/v1/bootstrap' },
    signIn: { method: 'GET', answers: 'json', path: '/api/v1/bootstrap/sign-in' },
  },
} as const;

/** All routes of the service. Each method answers the body, or fails with an `ApiError`. */
export interface ChatServiceMethods {
  health: {
    /** Whether the service can do its work. For load balancers: 503 takes the instance out. */
    check(request?: MethodRequest<types.HealthCheckData>): Promise<types.HealthCheckResponse>;
    /** Whether the service can do its work. For load balancers: 503 takes the instance out. */
    ready(request?: MethodRequest<types.HealthReadyData>): Promise<types.HealthReadyResponse>;
    /** Whether the process answers. For supervisors: no answer means a restart. */
    live(request?: MethodRequest<types.HealthLiveData>): Promise<types.HealthLiveResponse>;
  };
  metrics: {
    /** Measurements for Prometheus. With METRICS_TOKEN set, send it as `Authorization: Bearer <token>`. */
    read(request?: MethodRequest<types.MetricsReadData>): Promise<types.MetricsReadResponse>;
  };
  branding: {
    /** Name and looks of the installation. For pages, before anybody signs in. Administrators set it with PUT /admin/settings. */
    read(request?: MethodRequest<types.BrandingReadData>): Promise<types.BrandingReadResponse>;
  };
  users: {
    /** The current user. The same as GET /auth/me.
     * 
     * Not for API keys. */
    me(request?: MethodRequest<types.UsersMeData>): Promise<types.UsersMeResponse>;
  };
  account: {
    /** Buy or prolong a plan. Meant to be called after a payment. Adds a calendar month or year to the present end of the plan, or from now. The same payment_token sent again adds nothing more and is answered 200.
     * 
     * Not for API keys. */
    upgrade(request: MethodRequest<types.AccountUpgradeData>): Promise<types.AccountUpgradeResponse>;
    /** Download everything that is kept of the user. One JSON object with a list for each kind of data, streamed. An answer without its last brace is not complete. Two at once and six an hour for a user.
     * 
     * Not for API keys. */
    export(request?: MethodRequest<types.AccountExportData>): Promise<types.AccountExportResponse>;
    /** Change the password. Ends all other sessions of the user.
     * 
     * Not for API keys. */
    changePassword(request: MethodRequest<types.AccountChangePasswordData>): Promise<types.AccountChangePasswordResponse>;
    /** Close the account. Access ends at once, and running replies are stopped. The content is erased at `erase_at`; totals stay, but nothing says whose they were.
     * 
     * Not for API keys. */
    close(request: MethodRequest<types.AccountCloseData>): Promise<types.AccountCloseResponse>;
  };
  sessions: {
    /** Where the user is logged in. The newest login first.
     * 
     * Not for API keys. */
    list(request?: MethodRequest<types.SessionsListData>): Pages<types.SessionsListResponse>;
    /** Log out everywhere else. Ends all sessions but the present one.
     * 
     * Not for API keys. */
    endOthers(request?: MethodRequest<types.SessionsEndOthersData>): Promise<types.SessionsEndOthersResponse>;
    /** Log out one device. Ends the session with all its tokens.
     * 
     * Not for API keys. */
    end(request: MethodRequest<types.SessionsEndData>): Promise<types.SessionsEndResponse>;
  };
  profile: {
    /** How the user appears. Name, picture, language and some words.
     * 
     * Not for API keys. */
    read(request?: MethodRequest<types.ProfileReadData>): Promise<types.ProfileReadResponse>;
    /** Change the profile. Absent members stay as they are; null empties.
     * 
     * Not for API keys. */
    update(request: MethodRequest<types.ProfileUpdateData>): Promise<types.ProfileUpdateResponse>;
  };
  settings: {
    /** What the user has set up. What was never set up has its default.
     * 
     * Not for API keys. */
    read(request?: MethodRequest<types.SettingsReadData>): Promise<types.SettingsReadResponse>;
    /** Change settings. Absent members stay as they are. A default agent must be one that you can chat with now.
     * 
     * Not for API keys. */
    update(request: MethodRequest<types.SettingsUpdateData>): Promise<types.SettingsUpdateResponse>;
  };
  auth: {
    /** Send a one-time code by e-mail. The answer is the same whether or not the address has an account. A living code is sent again.
     * 
     * Not for API keys. */
    sendCode(request: MethodRequest<types.AuthSendCodeData>): Promise<types.AuthSendCodeResponse>;
    /** Log in with a code. Takes codes of purpose `login` and `register`. 404 after a right code: the address has no account. The code stays usable for POST /auth/register.
     * 
     * Not for API keys. */
    verify(request: MethodRequest<types.AuthVerifyData>): Promise<types.AuthVerifyResponse>;
    /** Make an account and log in. Needs a code of purpose `register`. With an `invitation` it works while registration is switched off.
     * 
     * Not for API keys. */
    register(request: MethodRequest<types.AuthRegisterData>): Promise<types.AuthRegisterResponse>;
    /** Log in with a password. With `verification_code` instead of `password` it is POST /auth/verify.
     * 
     * Not for API keys. */
    logIn(request: MethodRequest<types.AuthLogInData>): Promise<types.AuthLogInResponse>;
    /** The current user. Whom the access token belongs to.
     * 
     * Not for API keys. */
    me(request?: MethodRequest<types.AuthMeData>): Promise<types.AuthMeResponse>;
    /** Exchange the refresh token for a new pair. Each refresh token works once, and ten seconds longer for tabs that refresh at once. Later use ends the session. A valid one counts against its session alone (30 a minute).
     * 
     * Not for API keys. */
    refresh(request: MethodRequest<types.AuthRefreshData>): Promise<types.AuthRefreshResponse>;
    /** Set a new password with a code. Ends all sessions of the user.
     * 
     * Not for API keys. */
    resetPassword(request: MethodRequest<types.AuthResetPasswordData>): Promise<types.AuthResetPasswordResponse>;
    /** Log out. Ends the present session with all its tokens. With `logout_url`, the browser goes there to end that of the provider too.
     * 
     * Not for API keys. */
    logOut(request?: MethodRequest<types.AuthLogOutData>): Promise<types.AuthLogOutResponse>;
    /** Log in as OAuth 2 does. The password grant of RFC 6749, for tools such as the button Authorize of this page. The same login as POST /auth/login: `username` is the e-mail address, and the body may be a form. `client_id`, `client_secret` and `scope` are ignored.
     * 
     * Not for API keys. */
    issueToken(request: MethodRequest<types.AuthIssueTokenData>): Promise<types.AuthIssueTokenResponse>;
    /** The ways to sign in. The providers that a page shows buttons for, and who may use a password.
     * 
     * Not for API keys. */
    listProviders(request?: MethodRequest<types.AuthListProvidersData>): Promise<types.AuthListProvidersResponse>;
    /** Exchange a login code for tokens. Within 60 seconds, once. 409 with `link_token`: the address must be proved by a code first. A signed-in person who began by POST /user/identities/start gets `identity`.
     * 
     * Not for API keys. */
    exchangeLoginCode(request: MethodRequest<types.AuthExchangeLoginCodeData>): Promise<types.AuthExchangeLoginCodeResponse>;
    /** Prove the address of an identity, and log in. After 409 IDENTITY_LINK_REQUIRED, with the code of purpose `link_identity`. Links the account that has the address, or makes one where the provider’s rules allow.
     * 
     * Not for API keys. */
    linkIdentity(request: MethodRequest<types.AuthLinkIdentityData>): Promise<types.AuthLinkIdentityResponse>;
    /** End sessions, for providers. OpenID Connect Back-Channel Logout 1.0. `sid` ends one session, `sub` alone all of that identity. A token that is not valid is 400 with `{error}` alone, as the standard has it.
     * 
     * Not for API keys. */
    endProviderSessions(request: MethodRequest<types.AuthEndProviderSessionsData>): Promise<types.AuthEndProviderSessionsResponse>;
  };
  setup: {
    /** Whether there is an administrator. Until there is one, the console offers to make the first.
     * 
     * Not for API keys. */
    status(request?: MethodRequest<types.SetupStatusData>): Promise<types.SetupStatusResponse>;
    /** Make the first administrator and log in. On the machine of the service, or with the token of the link in its log. Works once.
     * 
     * Not for API keys. */
    createAdministrator(request: MethodRequest<types.SetupCreateAdministratorData>): Promise<types.SetupCreateAdministratorResponse>;
  };
  admin: {
    invitations: {
      /** Invitations. Those that can still be used, the newest first, without their secrets.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminInvitationsListData>): Pages<types.AdminInvitationsListResponse>;
      /** Invite somebody by a link. One account is made with it, also while registration is switched off, and for every domain. The person still proves the address with a code. Where `password_login` is not `everyone`, it opens nothing. The answer alone has the link.
       * 
       * Scope of API keys: `admin:write`. */
      create(request?: MethodRequest<types.AdminInvitationsCreateData>): Promise<types.AdminInvitationsCreateResponse>;
      /** Take an invitation back. Nobody registers with it any more.
       * 
       * Scope of API keys: `admin:write`. */
      remove(request: MethodRequest<types.AdminInvitationsRemoveData>): Promise<types.AdminInvitationsRemoveResponse>;
    };
    identityProviders: {
      /** List providers of identities. All of them, in the order in which they were added.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminIdentityProvidersListData>): Pages<types.AdminIdentityProvidersListResponse>;
      /** Add a provider of identities. People can sign in with it at once, on every instance within five seconds.
       * 
       * Not for API keys. */
      create(request: MethodRequest<types.AdminIdentityProvidersCreateData>): Promise<types.AdminIdentityProvidersCreateResponse>;
      /** Read a provider of identities. Without its secret.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminIdentityProvidersReadData>): Promise<types.AdminIdentityProvidersReadResponse>;
      /** Change a provider of identities. Absent fields stay as they are. Mappings count from each person’s next sign-in. `is_active: false` alone leaves sessions open; `end_sessions: true` ends them.
       * 
       * Not for API keys. */
      update(request: MethodRequest<types.AdminIdentityProvidersUpdateData>): Promise<types.AdminIdentityProvidersUpdateResponse>;
      /** Delete a provider of identities. Refused while accounts have identities of it, unless `force` says otherwise.
       * 
       * Not for API keys. */
      remove(request: MethodRequest<types.AdminIdentityProvidersRemoveData>): Promise<types.AdminIdentityProvidersRemoveResponse>;
      /** Try a provider of identities. Reads its document and its keys, compares the clocks, and tells what the last sign-in brought.
       * 
       * Not for API keys. */
      test(request: MethodRequest<types.AdminIdentityProvidersTestData>): Promise<types.AdminIdentityProvidersTestResponse>;
    };
    apiKeys: {
      /** API keys of all users. The newest first, with those that were revoked in the last 90 days.
       * 
       * Not for API keys. */
      list(request: MethodRequest<types.AdminApiKeysListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminApiKeysListData>): Pages<types.AdminApiKeysListResponse>;
      /** Revoke an API key of any user. Ends it at once, everywhere.
       * 
       * Not for API keys. */
      revoke(request: MethodRequest<types.AdminApiKeysRevokeData>): Promise<types.AdminApiKeysRevokeResponse>;
    };
    users: {
      /** Make an API key for a service account. The answer alone shows the key. The account is one with `user_type: service`. A key with the scope `scim` is for the directory of the provider that `identity_provider_id` names.
       * 
       * Not for API keys. */
      createApiKey(request: MethodRequest<types.AdminUsersCreateApiKeyData>): Promise<types.AdminUsersCreateApiKeyResponse>;
      /** Find users. With their usage and last activity. `status=closed` lists closed accounts. The columns of the file are the fields without `avatar`.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminUsersListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminUsersListData>): Pages<types.AdminUsersListResponse>;
      /** Create a user. The address counts as confirmed. Works while registration is switched off, and for every domain. With `user_type: service` it is an account for programs, without address and password.
       * 
       * Scope of API keys: `admin:write`. */
      create(request: MethodRequest<types.AdminUsersCreateData>): Promise<types.AdminUsersCreateResponse>;
      /** Read a user. With counts and the last activity, as in the list.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminUsersReadData>): Promise<types.AdminUsersReadResponse>;
      /** Change a user. Changes the given fields only; null removes a quota, a note or an end. It counts from the user’s next request.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminUsersUpdateData>): Promise<types.AdminUsersUpdateResponse>;
      /** Close an account. As its owner would: access ends at once, the content is erased after ACCOUNT_ERASE_DAYS. Until then the account can be opened again.
       * 
       * Scope of API keys: `admin:write`. */
      close(request: MethodRequest<types.AdminUsersCloseData>): Promise<types.AdminUsersCloseResponse>;
      /** What a user has used. In total and on each UTC day of the period. `format=csv` gives a file of the days.
       * 
       * Scope of API keys: `admin:read`. */
      usage(request: MethodRequest<types.AdminUsersUsageData> & { query: { format: 'csv' } }): Promise<string>;
      usage(request: MethodRequest<types.AdminUsersUsageData>): Promise<types.AdminUsersUsageResponse>;
      /** Ban a user. From the next request to the end of the ban the user gets 403 ACCOUNT_BANNED. Running replies are stopped.
       * 
       * Scope of API keys: `admin:write`. */
      ban(request: MethodRequest<types.AdminUsersBanData>): Promise<types.AdminUsersBanResponse>;
      /** Lift a ban. Changes nothing for a user who is not banned, and says so.
       * 
       * Scope of API keys: `admin:write`. */
      unban(request: MethodRequest<types.AdminUsersUnbanData>): Promise<types.AdminUsersUnbanResponse>;
      /** Lift a suspension. For accounts that the directory of an identity provider suspended, and cannot or may not reinstate. API keys work again; sessions do not. Changes nothing for a user who is not suspended, and says so.
       * 
       * Scope of API keys: `admin:write`. */
      reinstate(request: MethodRequest<types.AdminUsersReinstateData>): Promise<types.AdminUsersReinstateResponse>;
      /** Log a user out everywhere. Ends all logins; the user may log in again.
       * 
       * Scope of API keys: `admin:write`. */
      revokeSessions(request: MethodRequest<types.AdminUsersRevokeSessionsData>): Promise<types.AdminUsersRevokeSessionsResponse>;
      /** Open a closed account again. Possible until the erasure, with all content; GET /admin/users?status=closed lists closed ones. The owner gets a mail and logs in with a code or sets a new password: old sessions and the old password stay invalid, API keys live again. Changes nothing for an open account, and says so.
       * 
       * Scope of API keys: `admin:write`. */
      restore(request: MethodRequest<types.AdminUsersRestoreData>): Promise<types.AdminUsersRestoreResponse>;
    };
    prices: {
      /** List prices. Of several the exact name counts before a prefix, a longer prefix before a shorter one, then one of the provider, then the latest that is valid.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminPricesListData>): Pages<types.AdminPricesListResponse>;
      /** Add a price. Counts for requests that begin from `valid_from` on. A price never changes: add another one.
       * 
       * Scope of API keys: `admin:write`. */
      create(request: MethodRequest<types.AdminPricesCreateData>): Promise<types.AdminPricesCreateResponse>;
      /** The prices that came with the service. A file for the import, with the day as of which it is. It is never applied by itself.
       * 
       * Scope of API keys: `admin:read`. */
      bundled(request?: MethodRequest<types.AdminPricesBundledData>): Promise<types.AdminPricesBundledResponse>;
      /** Import a list of prices. The body is the file, as JSON of at most 20 MiB. A price that is no whole millionth is left out. With `rate`, converted prices are rounded half up to a millionth and marked `rounded`. Prices are valid from now on; the same price makes no row. Imports the whole file, or nothing.
       * 
       * Scope of API keys: `admin:write`. */
      import(request: MethodRequest<types.AdminPricesImportData>): Promise<types.AdminPricesImportResponse>;
      /** Delete a price. Only before a request begins with it.
       * 
       * Scope of API keys: `admin:write`. */
      remove(request: MethodRequest<types.AdminPricesRemoveData>): Promise<types.AdminPricesRemoveResponse>;
      /** Reckon costs anew. By the prices that are known now, each request by the one that was valid when it began. Statistics follow; what replies told of their cost stays. The audit log keeps the reason.
       * 
       * Scope of API keys: `admin:write`. */
      recompute(request: MethodRequest<types.AdminPricesRecomputeData>): Promise<types.AdminPricesRecomputeResponse>;
    };
    budgets: {
      /** List budgets. In the order in which they were made, with what is spent and held in the present window of each.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminBudgetsListData>): Pages<types.AdminBudgetsListResponse>;
      /** Make a budget. It counts from the next request, on every instance within five seconds. A budget is shared by all whom its scope concerns; with `each_user`, every user has the limit alone. Of several budgets each is charged.
       * 
       * Scope of API keys: `admin:write`. */
      create(request: MethodRequest<types.AdminBudgetsCreateData>): Promise<types.AdminBudgetsCreateResponse>;
      /** List models without a price. Models that active agents ask first and that have no price. Their cost is unknown, so no budget counts it, and hard budgets refuse them with 429 `MODEL_NOT_PRICED`. Add a price with POST /admin/prices.
       * 
       * Scope of API keys: `admin:read`. */
      unpricedModels(request?: MethodRequest<types.AdminBudgetsUnpricedModelsData>): Promise<types.AdminBudgetsUnpricedModelsResponse>;
      /** Read a budget. With what is spent and held in its present window.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminBudgetsReadData>): Promise<types.AdminBudgetsReadResponse>;
      /** Change a budget. Limit, mode, thresholds and note; scope and window stay. Running replies keep what they hold.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminBudgetsUpdateData>): Promise<types.AdminBudgetsUpdateResponse>;
      /** Delete a budget. It refuses nothing any more; what running requests hold of it is dropped.
       * 
       * Scope of API keys: `admin:write`. */
      remove(request: MethodRequest<types.AdminBudgetsRemoveData>): Promise<types.AdminBudgetsRemoveResponse>;
      /** Begin a budget anew. Sets what is spent in the present window to 0. What running requests hold stays held, and is spent when they end. Thresholds are told again.
       * 
       * Scope of API keys: `admin:write`. */
      reset(request: MethodRequest<types.AdminBudgetsResetData>): Promise<types.AdminBudgetsResetResponse>;
    };
    groups: {
      /** Find groups. In the order of their names.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminGroupsListData>): Pages<types.AdminGroupsListResponse>;
      /** Make a group. It has no members yet. Agents are opened to it by `access_level: groups` and `group_ids`.
       * 
       * Scope of API keys: `admin:write`. */
      create(request: MethodRequest<types.AdminGroupsCreateData>): Promise<types.AdminGroupsCreateResponse>;
      /** Read a group. With its number of members.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminGroupsReadData>): Promise<types.AdminGroupsReadResponse>;
      /** Change a group. Absent fields stay as they are. A group of a directory is renamed there.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminGroupsUpdateData>): Promise<types.AdminGroupsUpdateResponse>;
      /** Delete a group. Its members stay users. Agents that were open to it are open to their other groups only; without one, to nobody but administrators.
       * 
       * Scope of API keys: `admin:write`. */
      remove(request: MethodRequest<types.AdminGroupsRemoveData>): Promise<types.AdminGroupsRemoveResponse>;
      /** Who is in a group. In the order of their ids, with who put them there.
       * 
       * Scope of API keys: `admin:read`. */
      listMembers(request: MethodRequest<types.AdminGroupsListMembersData>): Pages<types.AdminGroupsListMembersResponse>;
      /** Put a user into a group. Counts from the next request, on every instance within five seconds. No provider takes it back.
       * 
       * Scope of API keys: `admin:write`. */
      addMember(request: MethodRequest<types.AdminGroupsAddMemberData>): Promise<types.AdminGroupsAddMemberResponse>;
      /** Take a user out of a group. Takes back what an administrator gave. What an identity provider or SCIM gave is changed there.
       * 
       * Scope of API keys: `admin:write`. */
      removeMember(request: MethodRequest<types.AdminGroupsRemoveMemberData>): Promise<types.AdminGroupsRemoveMemberResponse>;
    };
    actions: {
      /** What people are asked about calls of tools. The newest first. `arguments` are shown to those alone who may decide, or with a `reason`: then it answers 403 unless the operator has set ADMIN_CONTENT_ACCESS=true, and an entry in the audit log comes first.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminActionsListData>): Pages<types.AdminActionsListResponse>;
    };
    messages: {
      /** How a reply of anybody came about. As its owner sees it, with the status and the sentence of each refusal, without keys. It has no word of the conversation. What is in the trash is not shown.
       * 
       * Scope of API keys: `admin:read`. */
      readTrace(request: MethodRequest<types.AdminMessagesReadTraceData>): Promise<types.AdminMessagesReadTraceResponse>;
    };
    replies: {
      /** Replies that failed. Those of the last 30 days, of each user the newest 1,000, of conversations and programs, newest first: who asked, which model failed, and what its provider said, without keys. It has no word of a conversation.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminRepliesListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminRepliesListData>): Pages<types.AdminRepliesListResponse>;
      /** How models have answered lately. The share of replies that failed, and how long their first tokens took, by model. It counts the replies of the last hours, at most those among the newest 10,000 messages of conversations and of programs each; those with the most first.
       * 
       * Scope of API keys: `admin:read`. */
      byModel(request?: MethodRequest<types.AdminRepliesByModelData>): Promise<types.AdminRepliesByModelResponse>;
    };
    tools: {
      /** Tools of agents. Functions of the modules of this service, and approved tools of servers (MCP), by name.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminToolsListData>): Pages<types.AdminToolsListResponse>;
      /** Try a tool. Reads the arguments by its schema and, unless `dry`, calls it as you, once. Only tools that are read-only run; for others `dry` is required.
       * 
       * Scope of API keys: `admin:write`. */
      test(request: MethodRequest<types.AdminToolsTestData>): Promise<types.AdminToolsTestResponse>;
      /** Calls, failures and durations by tool. Of calls that models made on these days. Tools that are no longer there count too.
       * 
       * Scope of API keys: `admin:read`. */
      statistics(request?: MethodRequest<types.AdminToolsStatisticsData>): Promise<types.AdminToolsStatisticsResponse>;
    };
    mcpServers: {
      /** List servers of tools. All of them, in the order in which they were added.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminMcpServersListData>): Pages<types.AdminMcpServersListResponse>;
      /** Add a server of tools. Nothing of it is offered until you approve its tools.
       * 
       * Not for API keys. */
      create(request: MethodRequest<types.AdminMcpServersCreateData>): Promise<types.AdminMcpServersCreateResponse>;
      /** Export servers of tools. Without secrets and headers.
       * 
       * Scope of API keys: `admin:read`. */
      export(request?: MethodRequest<types.AdminMcpServersExportData>): Promise<types.AdminMcpServersExportResponse>;
      /** Import servers of tools. All or nothing. Servers with a known label are changed, others are added. Their tools wait for your word, and those that lack their secret are switched off.
       * 
       * Not for API keys. */
      import(request: MethodRequest<types.AdminMcpServersImportData>): Promise<types.AdminMcpServersImportResponse>;
      /** Read a server of tools. Without its secrets.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminMcpServersReadData>): Promise<types.AdminMcpServersReadResponse>;
      /** Change a server of tools. Absent fields stay as they are. Another host, or another way to sign in, needs new credentials: those that are stored never go to somebody else.
       * 
       * Not for API keys. */
      update(request: MethodRequest<types.AdminMcpServersUpdateData>): Promise<types.AdminMcpServersUpdateResponse>;
      /** Delete a server of tools. Refused while agents list its tools, unless `force` says otherwise.
       * 
       * Not for API keys. */
      remove(request: MethodRequest<types.AdminMcpServersRemoveData>): Promise<types.AdminMcpServersRemoveResponse>;
      /** Try a server of tools. Reads its list of tools, and tells what is wrong.
       * 
       * Not for API keys. */
      test(request: MethodRequest<types.AdminMcpServersTestData>): Promise<types.AdminMcpServersTestResponse>;
      /** Read the tools of a server again. New and changed ones are not offered until you approve them.
       * 
       * Not for API keys. */
      refresh(request: MethodRequest<types.AdminMcpServersRefreshData>): Pages<types.AdminMcpServersRefreshResponse>;
      /** List the tools of a server. As the server described them when its list was last read, and as they were approved.
       * 
       * Scope of API keys: `admin:read`. */
      tools(request: MethodRequest<types.AdminMcpServersToolsData>): Pages<types.AdminMcpServersToolsResponse>;
      /** Approve or block a tool. With the pin of what you saw: what has changed meanwhile is not approved.
       * 
       * Not for API keys. */
      decide(request: MethodRequest<types.AdminMcpServersDecideData>): Promise<types.AdminMcpServersDecideResponse>;
    };
    costs: {
      /** List the cost of each request to a model. The ledger, newest first, with the price that each request was charged by. It contains no message content. The filters can be combined. The columns of the file are the fields; `user`, `api_key`, `agent` and `price` are JSON.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminCostsListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminCostsListData>): Pages<types.AdminCostsListResponse>;
    };
    stats: {
      /** The installation at a glance. Usage in total, this month and today, active users, accounts by kind, and the course of the last 30 UTC days with the time to the first token.
       * 
       * Scope of API keys: `admin:read`. */
      overview(request?: MethodRequest<types.AdminStatsOverviewData>): Promise<types.AdminStatsOverviewResponse>;
      /** Usage and costs by day, user, group, agent, model, provider or API key. Days have no gaps. The filters can be combined, such as `group_by=day&agent_id=1&user_id=42`. By API key, only what was used with keys counts; it is counted by day and owner, so `group_by=api_key` and `api_key_id` go with `day`, `user`, `api_key` and `user_id`, and are refused with agents and models (`not_counted_by_key`). Users’ messages and new chats have no model. By group, who is in several now counts in each, who is in none under null. By provider, replies count, by day, user and model: `agent_id` and `api_key_id` are refused (`not_counted_by_provider`). `cost` is the sum of what has a price, `unpriced` counts the rest. The file of `format=csv` has all rows, with the columns `day`, `user_id`, `agent_id`, `model`, `provider` or `api_key_id` (with its owner, `user_id`), `name`, and the sums. `format=focus` is a file by FinOps FOCUS 1.2.
       * 
       * Scope of API keys: `admin:read`. */
      usage(request: MethodRequest<types.AdminStatsUsageData> & { query: { format: 'csv' } }): Promise<string>;
      usage(request?: MethodRequest<types.AdminStatsUsageData>): Pages<types.AdminStatsUsageResponse>;
    };
    attention: {
      /** What needs an administrator. Everything that is wrong now, the worst first; empty when nothing is. Mail, providers and models are as the answering instance sees them.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminAttentionListData>): Promise<types.AdminAttentionListResponse>;
    };
    chats: {
      /** Conversations of all users. Owner, agent, length and times, without any text that somebody wrote; newest first.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminChatsListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminChatsListData>): Pages<types.AdminChatsListResponse>;
      /** Read a conversation. Answers 403 unless the operator has set ADMIN_CONTENT_ACCESS=true. The reason goes to the audit log before anything is shown.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminChatsReadData>): Promise<types.AdminChatsReadResponse>;
    };
    feedback: {
      /** What users think of replies. Ratings with the user’s comment, newest first, without the replies themselves.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminFeedbackListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminFeedbackListData>): Pages<types.AdminFeedbackListResponse>;
    };
    plans: {
      /** What all memberships allow. Messages and tokens are per UTC day; null means no limit.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminPlansListData>): Pages<types.AdminPlansListResponse>;
      /** What a membership allows. Messages and tokens are per UTC day; null means no limit.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminPlansReadData>): Promise<types.AdminPlansReadResponse>;
      /** Change what a membership allows. Counts for all its users from their next message on, on every instance within five seconds.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminPlansUpdateData>): Promise<types.AdminPlansUpdateResponse>;
    };
    settings: {
      /** The settings of the installation. Who may register, whom passwords let in, and how long API keys may live.
       * 
       * Scope of API keys: `admin:read`. */
      read(request?: MethodRequest<types.AdminSettingsReadData>): Promise<types.AdminSettingsReadResponse>;
      /** Change the settings of the installation. Counts at once, on every instance within five seconds. Users who are registered and API keys that exist are not affected.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminSettingsUpdateData>): Promise<types.AdminSettingsUpdateResponse>;
      /** Send a mail now, and hear what the mail server says. Unlike `POST /admin/email/test`, which queues a mail, this hands it over at once, for at most 30 seconds. A failure is 200 too: then `ok` is false, and `reason`, the reply code and the words of the mail server say why. Not with an API key.
       * 
       * Not for API keys. */
      testMail(request?: MethodRequest<types.AdminSettingsTestMailData>): Promise<types.AdminSettingsTestMailResponse>;
    };
    models: {
      /** Model providers. All of them on one page, whether they are set up, and their state.
       * 
       * Scope of API keys: `admin:read`. */
      list(request?: MethodRequest<types.AdminModelsListData>): Promise<types.AdminModelsListResponse>;
      /** Try a model. Asks it once, for at most 60 seconds. Nothing is stored but its cost, and nobody’s quota is used. After a failure `details` has the provider’s host and status, the kind of the failure (`reason`) and, unless an API key asks, its words.
       * 
       * Scope of API keys: `admin:write`. */
      test(request?: MethodRequest<types.AdminModelsTestData>): Promise<types.AdminModelsTestResponse>;
    };
    providers: {
      /** List model providers. The one of LLM_*, the demo, and those that are managed here, with the last result of each. `format=csv` gives a file (UTF-8 with byte order mark, CR LF) of all matching providers; its columns are the fields.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminProvidersListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminProvidersListData>): Pages<types.AdminProvidersListResponse>;
      /** Add a model provider. Agents can name it at once, on every instance within five seconds. Its key is never shown again. Link-local addresses are refused, and hosts outside of PROVIDER_ALLOWED_HOSTS.
       * 
       * Scope of API keys: `admin:write`. */
      create(request: MethodRequest<types.AdminProvidersCreateData>): Promise<types.AdminProvidersCreateResponse>;
      /** Look for models on this machine. Asks the ports of Ollama, LM Studio and vLLM (LOCAL_MODEL_PORTS) at 127.0.0.1 of the service for their models, for two seconds at most. Changes nothing: what is found can be added with `POST /admin/providers`. Not with an API key.
       * 
       * Not for API keys. */
      discover(request?: MethodRequest<types.AdminProvidersDiscoverData>): Promise<types.AdminProvidersDiscoverResponse>;
      /** Read a model provider. By its id; `default` and `demo` have none and use their names.
       * 
       * Scope of API keys: `admin:read`. */
      read(request: MethodRequest<types.AdminProvidersReadData>): Promise<types.AdminProvidersReadResponse>;
      /** Change a model provider. Absent fields stay as they are, null removes a field. The key stays with its host: another host, scheme, port or kind needs it again. Running replies keep the old settings. If no provider is the default, the one of LLM_* is.
       * 
       * Scope of API keys: `admin:write`. */
      update(request: MethodRequest<types.AdminProvidersUpdateData>): Promise<types.AdminProvidersUpdateResponse>;
      /** Delete a model provider. Refused while agents name it, drafts and fallback models included.
       * 
       * Scope of API keys: `admin:write`. */
      remove(request: MethodRequest<types.AdminProvidersRemoveData>): Promise<types.AdminProvidersRemoveResponse>;
      /** Try a model provider. Asks a model once, for at most 60 seconds. Nothing is stored but its cost, and nobody’s quota is used. A failure is 200 too: then `ok` is false, and the provider’s host and status, the kind of the failure and its words say why. An API key gets neither its words nor the answer’s.
       * 
       * Scope of API keys: `admin:write`. */
      test(request: MethodRequest<types.AdminProvidersTestData>): Promise<types.AdminProvidersTestResponse>;
      /** What a model provider lists. Asks the provider itself, for ten seconds at most. After a failure `details` has its status, the kind of the failure (`reason`) and, unless an API key asks, its words. An API key gets no models of a provider whose address is not public.
       * 
       * Scope of API keys: `admin:read`. */
      listModels(request: MethodRequest<types.AdminProvidersListModelsData>): Promise<types.AdminProvidersListModelsResponse>;
    };
    email: {
      /** Send a test mail. Answers when the mail is queued; it goes out at once. 503 while the mail server is down. Without a mail server the mail stands in the log, and `delivery` says so.
       * 
       * Scope of API keys: `admin:write`. */
      test(request?: MethodRequest<types.AdminEmailTestData>): Promise<types.AdminEmailTestResponse>;
    };
    webhooks: {
      /** Webhooks of all users. Owners, events, addresses, and the state of delivery.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminWebhooksListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminWebhooksListData>): Pages<types.AdminWebhooksListResponse>;
    };
    audit: {
      /** Who changed what. Every write of an administrator, every reading of a conversation, and what users do with their API keys, with the state before and after; newest first. Entries cannot be changed or deleted, and contain no secrets. The columns of the file are the fields, `before` and `after` as JSON.
       * 
       * Scope of API keys: `admin:read`. */
      list(request: MethodRequest<types.AdminAuditListData> & { query: { format: 'csv' } }): Promise<string>;
      list(request?: MethodRequest<types.AdminAuditListData>): Pages<types.AdminAuditListResponse>;
    };
  };
  identities: {
    /** Identities of providers that open the account. In the order in which they were linked.
     * 
     * Not for API keys. */
    list(request?: MethodRequest<types.IdentitiesListData>): Pages<types.IdentitiesListResponse>;
    /** Link an identity. The browser goes to `authorization_url`, and comes back to `return_to` with `login_code` for POST /auth/oidc/exchange. Within ten minutes of a sign-in no password or code is needed.
     * 
     * Not for API keys. */
    start(request: MethodRequest<types.IdentitiesStartData>): Promise<types.IdentitiesStartResponse>;
    /** Unlink an identity. Ends the sessions that were begun with it. The last way to sign in stays.
     * 
     * Not for API keys. */
    unlink(request: MethodRequest<types.IdentitiesUnlinkData>): Promise<types.IdentitiesUnlinkResponse>;
  };
  apiKeys: {
    /** Your API keys. The newest first, without those that were revoked.
     * 
     * Not for API keys. */
    list(request?: MethodRequest<types.ApiKeysListData>): Pages<types.ApiKeysListResponse>;
    /** Make an API key. The answer alone shows the key. Programs send it as `Authorization: Bearer <key>`. A user has at most 50 keys, and 1,000 changes of keys a day.
     * 
     * Not for API keys. */
    create(request: MethodRequest<types.ApiKeysCreateData>): Promise<types.ApiKeysCreateResponse>;
    /** Change an API key. It counts from the next request with the key.
     * 
     * Not for API keys. */
    update(request: MethodRequest<types.ApiKeysUpdateData>): Promise<types.ApiKeysUpdateResponse>;
    /** Revoke an API key. Ends it at once, everywhere, with the text before a rotation.
     * 
     * Not for API keys. */
    revoke(request: MethodRequest<types.ApiKeysRevokeData>): Promise<types.ApiKeysRevokeResponse>;
    /** Replace the text of an API key. The answer alone shows the new key. The present one works for `grace_hours` more, an earlier one no longer. Event feeds end with the text that opened them. Name, scopes, limits, expiry and usage stay.
     * 
     * Not for API keys. */
    rotate(request: MethodRequest<types.ApiKeysRotateData>): Promise<types.ApiKeysRotateResponse>;
    /** What was used with an API key. On each of the last 30 UTC days, in ascending order; the last one is today.
     * 
     * Scope of API keys: `usage:read`. */
    usage(request: MethodRequest<types.ApiKeysUsageData>): Promise<types.ApiKeysUsageResponse>;
  };
  usage: {
    /** What you have used. In total, today, and on each of the last 30 UTC days.
     * 
     * Scope of API keys: `usage:read`. */
    stats(request?: MethodRequest<types.UsageStatsData>): Promise<types.UsageStatsResponse>;
    /** What you have used in total. Deleted conversations count too.
     * 
     * Scope of API keys: `usage:read`. */
    totals(request?: MethodRequest<types.UsageTotalsData>): Promise<types.UsageTotalsResponse>;
    /** What you may still use today. Limits are null where there are none.
     * 
     * Scope of API keys: `usage:read`. */
    quota(request?: MethodRequest<types.UsageQuotaData>): Promise<types.UsageQuotaResponse>;
    /** What you may still spend. The budgets that your requests are charged to, but those of agents; with an API key those of the key too. Of budgets that others share, only whether something is left. All of them unless `limit` is given.
     * 
     * Scope of API keys: `usage:read`. */
    budget(request?: MethodRequest<types.UsageBudgetData>): Pages<types.UsageBudgetResponse>;
  };
  agents: {
    /** List the agents to chat with. In the order to show them; all of them unless `limit` is given.
     * 
     * Scope of API keys: `agents:read`. */
    listActive(request?: MethodRequest<types.AgentsListActiveData>): Pages<types.AgentsListActiveResponse>;
    /** Export all agents. Without ids and times and always in the same order, so that `data` can be kept under version control.
     * 
     * Scope of API keys: `agents:write`. */
    export(request?: MethodRequest<types.AgentsExportData>): Promise<types.AgentsExportResponse>;
    /** Import agents. Takes the whole answer of the export, or its `data`, up to 10 MiB and 20,000 values. A larger one goes in parts, with `mode=merge`. Agents are found by their names. A document with a fault changes nothing (422). Agents are written in batches: if the import breaks off, send it again.
     * 
     * Scope of API keys: `agents:write`. */
    import(request: MethodRequest<types.AgentsImportData>): Promise<types.AgentsImportResponse>;
    /** Search the agents. Users get the active ones; administrators get all of them, with all settings.
     * 
     * Scope of API keys: `agents:read`. */
    list(request: MethodRequest<types.AgentsListData> & { query: { format: 'csv' } }): Promise<string>;
    list(request?: MethodRequest<types.AgentsListData>): Pages<types.AgentsListResponse>;
    /** Create an agent. Absent fields get their defaults.
     * 
     * Scope of API keys: `agents:write`. */
    create(request: MethodRequest<types.AgentsCreateData>): Promise<types.AgentsCreateResponse>;
    /** Read an agent. Administrators get all settings too.
     * 
     * Scope of API keys: `agents:read`. */
    read(request: MethodRequest<types.AgentsReadData>): Promise<types.AgentsReadResponse>;
    /** Change an agent. Absent fields stay as they are. Send the version that you read, to be refused with 409 when there is a newer one.
     * 
     * Scope of API keys: `agents:write`. */
    update(request: MethodRequest<types.AgentsUpdateData>): Promise<types.AgentsUpdateResponse>;
    /** Delete an agent. Its chats stay readable; its name is free again.
     * 
     * Scope of API keys: `agents:write`. */
    remove(request: MethodRequest<types.AgentsRemoveData>): Promise<types.AgentsRemoveResponse>;
    /** List the versions of an agent. Changes of prompt, model and parameters.
     * 
     * Scope of API keys: `agents:write`. */
    listVersions(request: MethodRequest<types.AgentsListVersionsData>): Pages<types.AgentsListVersionsResponse>;
    /** Go back to an earlier version. Makes a new version that equals it.
     * 
     * Scope of API keys: `agents:write`. */
    restoreVersion(request: MethodRequest<types.AgentsRestoreVersionData>): Promise<types.AgentsRestoreVersionResponse>;
    /** Copy an agent. The copy is a draft, by default named “… (copy)”.
     * 
     * Scope of API keys: `agents:write`. */
    duplicate(request: MethodRequest<types.AgentsDuplicateData>): Promise<types.AgentsDuplicateResponse>;
    /** Try an agent. It answers one message, within its limits; nothing is stored or counted. Settings in the body are tried without being saved.
     * 
     * Scope of API keys: `agents:write`. */
    test(request: MethodRequest<types.AgentsTestData>): Promise<types.AgentsTestResponse>;
    /** What an agent has done. On the given UTC days, or all.
     * 
     * Scope of API keys: `agents:write`. */
    stats(request: MethodRequest<types.AgentsStatsData>): Promise<types.AgentsStatsResponse>;
  };
  chat: {
    actions: {
      /** What a conversation waits for. Decisions about calls of tools, the newest first.
       * 
       * Scope of API keys: `chat:read`. */
      list(request: MethodRequest<types.ChatActionsListData>): Pages<types.ChatActionsListResponse>;
      /** Decide about the call of a tool. An action is decided once; the same decision again has the same answer. It answers like POST /chat/message, with the same reply, which goes on: as a stream from where the reader stands (`X-Stream-Offset`). While others are to be decided, the reply is `requires_action` again. It is never refused for a quota or a budget: where the model may not be asked again, the reply is `failed` with that error. Approvers who may not read the conversation get `{id, state}`.
       * 
       * Scope of API keys: `actions:decide`. */
      decide(request: MethodRequest<types.ChatActionsDecideData>): Promise<types.ChatActionsDecideResponse>;
    };
    /** How a reply came about. Which models were asked, what they refused and what was learned from that, the time to the first token, the calls of tools without what they were given, tokens and cost. Of a reply that is being written, as far as it is known.
     * 
     * Scope of API keys: `chat:read`. */
    readTrace(request: MethodRequest<types.ChatReadTraceData>): Promise<types.ChatReadTraceResponse>;
    /** List your conversations. The most recently changed first.
     * 
     * Scope of API keys: `chat:read`. */
    list(request?: MethodRequest<types.ChatListData>): Pages<types.ChatListResponse>;
    /** Start a conversation. With an `Idempotency-Key` it is safe to repeat. Free users begin 1,000 a day, paying ones 10,000.
     * 
     * Scope of API keys: `chat:write`. */
    create(request?: MethodRequest<types.ChatCreateData>): Promise<types.ChatCreateResponse>;
    /** List your deleted conversations. The last deleted first.
     * 
     * Scope of API keys: `chat:read`. */
    listTrash(request?: MethodRequest<types.ChatListTrashData>): Pages<types.ChatListTrashResponse>;
    /** Read a conversation. With up to 1,000 of its newest messages.
     * 
     * Scope of API keys: `chat:read`. */
    read(request: MethodRequest<types.ChatReadData>): Promise<types.ChatReadResponse>;
    /** Change a conversation. Any of title, is_pinned, is_archived and tags.
     * 
     * Scope of API keys: `chat:write`. */
    update(request: MethodRequest<types.ChatUpdateData>): Promise<types.ChatUpdateResponse>;
    /** Delete a conversation. It can be restored from the trash for a while.
     * 
     * Scope of API keys: `chat:write`. */
    remove(request: MethodRequest<types.ChatRemoveData>): Promise<types.ChatRemoveResponse>;
    /** Show another line of a conversation. Makes the line through a message the current one: lists, searches and the model use it. After the message it continues with what was written last. Answers like GET /chat/{chat_id}.
     * 
     * Scope of API keys: `chat:write`. */
    switchLine(request: MethodRequest<types.ChatSwitchLineData>): Promise<types.ChatSwitchLineResponse>;
    /** Say how far you have read a conversation. Your other devices hear of it: event `chat.read`. It never goes back.
     * 
     * Scope of API keys: `chat:write`. */
    markRead(request: MethodRequest<types.ChatMarkReadData>): Promise<types.ChatMarkReadResponse>;
    /** Take a conversation out of the trash. Nothing in it changes.
     * 
     * Scope of API keys: `chat:write`. */
    restore(request: MethodRequest<types.ChatRestoreData>): Promise<types.ChatRestoreResponse>;
    /** Send a message and get the reply. Whole: an array of both messages. As plain text: the text, then a line with `__TOKEN_USAGE__` and one line of JSON. Without that line the connection was lost: join the reply again with GET /chat/{chat_id}/stream. The reply is written and stored even if the client disconnects. A body may have 28 MiB where a file comes as data, else 1 MiB.
     * 
     * Scope of API keys: `chat:write`. */
    send(request: MethodRequest<types.ChatSendData>): Promise<types.ChatSendResponse>;
    /** Change the wording of a message and get the reply. Answers like POST /chat/message. The new wording is another version, with the same `parent_id`. The old one and what followed it leave the current line; `branches=all` still shows them, and PUT /chat/{chat_id}/line brings them back.
     * 
     * Scope of API keys: `chat:write`. */
    edit(request: MethodRequest<types.ChatEditData>): Promise<types.ChatEditResponse>;
    /** Get another reply to the same message. The earlier reply and what followed it leave the current line; `branches=all` still shows them. They come back with PUT /chat/{chat_id}/line, or when the new reply ends without a word. What a program wanted of the earlier reply is wanted again.
     * 
     * Scope of API keys: `chat:write`. */
    regenerate(request: MethodRequest<types.ChatRegenerateData>): Promise<types.ChatRegenerateResponse>;
    /** Page through the messages of a conversation. Oldest first. A page ends after 4 MiB of text, whatever its limit; the list is over when one is empty.
     * 
     * Scope of API keys: `chat:read`. */
    listMessages(request: MethodRequest<types.ChatListMessagesData> & { query: { after: number } }): Pages<types.ChatListMessagesResponse>;
    listMessages(request: MethodRequest<types.ChatListMessagesData>): Promise<types.ChatListMessagesResponse>;
    /** Rate a reply. `rating: null` takes the rating back.
     * 
     * Scope of API keys: `chat:write`. */
    rate(request: MethodRequest<types.ChatRateData>): Promise<types.ChatRateResponse>;
    /** Download an image or a file of a message. Only the owner of the conversation gets it. It is a download in its own media type, never a page.
     * 
     * Scope of API keys: `chat:read`. */
    readFile(request: MethodRequest<types.ChatReadFileData>): Promise<types.ChatReadFileResponse>;
    /** Stop the reply that is being written. The text so far is kept. The answer comes when the reply has ended; after 15 seconds it is 503.
     * 
     * Scope of API keys: `chat:write`. */
    stop(request: MethodRequest<types.ChatStopData>): Promise<types.ChatStopResponse>;
    /** Get a ticket to read the stream with EventSource. `EventSource` cannot send `Authorization`: it opens `GET /chat/{chat_id}/stream?ticket=…` instead. A ticket works for one request within a minute, in this conversation, while the session is valid.
     * 
     * Scope of API keys: `chat:read`. */
    createTicket(request: MethodRequest<types.ChatCreateTicketData>): Promise<types.ChatCreateTicketResponse>;
    /** Join a reply that is being written. From `offset` on, in the format of the original stream, on any instance. 204: nothing is running, and nothing is missing. With an offset, a reply that failed, was stopped or was interrupted is always answered, so that the client learns how it ended. An offset beyond the end counts as the end, since after a crash a client may have more than was stored; `message_start` and the ids of server-sent events tell the true one. Readers of plain text do not count the zero-width space that the stream puts after `__TOKEN` where the text contains the marker: `text.replace(/__TOKEN\u200b+/g, '__TOKEN').length`.
     * 
     * Scope of API keys: `chat:read`. */
    join(request: MethodRequest<types.ChatJoinData>): Promise<types.ChatJoinResponse>;
    shares: {
      /** The links to a conversation. Those that work, the newest first.
       * 
       * Scope of API keys: `chat:read`. */
      list(request: MethodRequest<types.ChatSharesListData>): Pages<types.ChatSharesListResponse>;
      /** Share a conversation by a link. Anyone with the link can read the conversation: with or without an account, as `GET /shared` says. It shows texts, images and files, and not whose it is. At most 200 links a day. The answer alone has the link.
       * 
       * Scope of API keys: `chat:write`. */
      create(request: MethodRequest<types.ChatSharesCreateData>): Promise<types.ChatSharesCreateResponse>;
      /** Take a link back. Nobody reads by it any more. It never works again.
       * 
       * Scope of API keys: `chat:write`. */
      remove(request: MethodRequest<types.ChatSharesRemoveData>): Promise<types.ChatSharesRemoveResponse>;
    };
  };
  user: {
    actions: {
      /** What waits for you. Actions in your own conversations, and those of others that you may decide, the newest first.
       * 
       * Scope of API keys: `chat:read`. */
      list(request?: MethodRequest<types.UserActionsListData>): Pages<types.UserActionsListResponse>;
    };
    approvals: {
      /** Tools that you are not asked about any more. What `remember` of a decision has left, the newest first. They count only for your own approval: a policy `deny`, another approver, a request that wants to be asked, and text from outside still stop a call.
       * 
       * Not for API keys. */
      list(request?: MethodRequest<types.UserApprovalsListData>): Pages<types.UserApprovalsListResponse>;
      /** Be asked about a tool again. From the next call on.
       * 
       * Not for API keys. */
      remove(request: MethodRequest<types.UserApprovalsRemoveData>): Promise<types.UserApprovalsRemoveResponse>;
    };
  };
  openai: {
    /** List the agents to use as models. Those that the caller may chat with.
     * 
     * Scope of API keys: `openai`. */
    listModels(request?: MethodRequest<types.OpenaiListModelsData>): Promise<types.OpenaiListModelsResponse>;
    /** Get an agent as a model. Also a model of a provider, where OPENAI_PASS_THROUGH opens those: `provider/model`.
     * 
     * Scope of API keys: `openai`. */
    readModel(request: MethodRequest<types.OpenaiReadModelData>): Promise<types.OpenaiReadModelResponse>;
    /** Complete a conversation. The messages are the whole context: nothing appears among the conversations of the caller. What the agent says to its model comes first, and its settings win. The completion ends when the client leaves. Parameters that are not named here are ignored.
     * 
     * Scope of API keys: `openai`. */
    createCompletion(request: MethodRequest<types.OpenaiCreateCompletionData>): Promise<types.OpenaiCreateCompletionResponse>;
    /** Make a conversation shorter. A model sums up the input, or the conversation of `previous_response_id`. Send the `output` in the place of it. Its tokens count, but no message does.
     * 
     * Scope of API keys: `openai`. */
    compactResponse(request: MethodRequest<types.OpenaiCompactResponseData>): Promise<types.OpenaiCompactResponseResponse>;
    /** Make a response. By Open Responses 2026-04-24. Stored in a conversation of the user unless `store` is false; `conversation` or `previous_response_id` continue one. `X-Ignored-Tools` names the types of tools that were left out. Tools of the agent run here, as `mcp_call`; `mcp_approval_response` decides about those that ask (scope `actions:decide`), and what follows is a response of its own. With `store: false` such tools are withheld, and `X-Withheld-Tools` names them.
     * 
     * Scope of API keys: `openai`. */
    createResponse(request: MethodRequest<types.OpenaiCreateResponseData>): Promise<types.OpenaiCreateResponseResponse>;
    /** Get a response, or join its events. While it runs, as far as it is.
     * 
     * Scope of API keys: `openai`. */
    readResponse(request: MethodRequest<types.OpenaiReadResponseData>): Promise<types.OpenaiReadResponseResponse>;
    /** Delete a response. What was said stays. A conversation of nothing but deleted responses goes to the trash, if nobody has named it.
     * 
     * Scope of API keys: `openai`. */
    removeResponse(request: MethodRequest<types.OpenaiRemoveResponseData>): Promise<types.OpenaiRemoveResponseResponse>;
    /** List the items that a response was made of. Those of its request, without what the conversation had before.
     * 
     * Scope of API keys: `openai`. */
    listInputItems(request: MethodRequest<types.OpenaiListInputItemsData>): Pages<types.OpenaiListInputItemsResponse>;
    /** Stop a response that runs in the background. One that has ended is answered as it is.
     * 
     * Scope of API keys: `openai`. */
    cancelResponse(request: MethodRequest<types.OpenaiCancelResponseData>): Promise<types.OpenaiCancelResponseResponse>;
    /** Start a conversation. It is one of the user's chats, with the user's default agent. A response in it may name another model.
     * 
     * Scope of API keys: `openai`. */
    createConversation(request: MethodRequest<types.OpenaiCreateConversationData>): Promise<types.OpenaiCreateConversationResponse>;
    /** Get a conversation. Its items have routes of their own.
     * 
     * Scope of API keys: `openai`. */
    readConversation(request: MethodRequest<types.OpenaiReadConversationData>): Promise<types.OpenaiReadConversationResponse>;
    /** Replace what is kept with a conversation. Nothing of the former `metadata` stays.
     * 
     * Scope of API keys: `openai`. */
    updateConversation(request: MethodRequest<types.OpenaiUpdateConversationData>): Promise<types.OpenaiUpdateConversationResponse>;
    /** Delete a conversation. It goes to the trash with its responses.
     * 
     * Scope of API keys: `openai`. */
    removeConversation(request: MethodRequest<types.OpenaiRemoveConversationData>): Promise<types.OpenaiRemoveConversationResponse>;
    /** List the items of a conversation. Those of its current line. A page ends after 4 MiB of text and images.
     * 
     * Scope of API keys: `openai`. */
    listItems(request: MethodRequest<types.OpenaiListItemsData>): Pages<types.OpenaiListItemsResponse>;
    /** Add items to the end of a conversation. No model is asked.
     * 
     * Scope of API keys: `openai`. */
    addItems(request: MethodRequest<types.OpenaiAddItemsData>): Promise<types.OpenaiAddItemsResponse>;
    /** Get one item of a conversation. Also one that is not on the current line.
     * 
     * Scope of API keys: `openai`. */
    readItem(request: MethodRequest<types.OpenaiReadItemData>): Promise<types.OpenaiReadItemResponse>;
    /** Refused: what follows an item answers it. Only the whole conversation can be deleted.
     * 
     * Scope of API keys: `openai`. */
    removeItem(request: MethodRequest<types.OpenaiRemoveItemData>): Promise<types.OpenaiRemoveItemResponse>;
  };
  shared: {
    /** Read who may open shared conversations. The setting `sharing`. Show it before a user creates a link.
     * 
     * Scope of API keys: `chat:read`. */
    access(request?: MethodRequest<types.SharedAccessData>): Promise<types.SharedAccessResponse>;
    /** Read a shared conversation. For anyone with the link; 401 where only people who are signed in may read, and 403 there for API keys without `chat:read`. Calls of functions, their results and what the model thought are not shown. A link that has ended, for whatever reason, is 404. */
    read(request: MethodRequest<types.SharedReadData>): Promise<types.SharedReadResponse>;
    /** Download an image or a file of a shared conversation. Of a message that is shown. It is a download in its own media type, never a page. */
    readFile(request: MethodRequest<types.SharedReadFileData>): Promise<types.SharedReadFileResponse>;
    /** Go on with a shared conversation. Copies what is shown, but what programs told the model (`system`), as a conversation of your own, with the same agent if you may use it, else with your default one. Tools with effects ask there even where they need not. With an `Idempotency-Key` it is safe to repeat.
     * 
     * Scope of API keys: `chat:write`. */
    continue(request: MethodRequest<types.SharedContinueData>): Promise<types.SharedContinueResponse>;
  };
  webhooks: {
    /** List the kinds of events. Each with an example and the JSON Schema of its body.
     * 
     * Scope of API keys: `webhooks`. */
    listEvents(request?: MethodRequest<types.WebhooksListEventsData>): Promise<types.WebhooksListEventsResponse>;
    /** List your endpoints. The oldest first.
     * 
     * Scope of API keys: `webhooks`. */
    list(request?: MethodRequest<types.WebhooksListData>): Pages<types.WebhooksListResponse>;
    /** Add an endpoint. Up to three for each user. The answer alone shows its secret.
     * 
     * Scope of API keys: `webhooks`. */
    create(request: MethodRequest<types.WebhooksCreateData>): Promise<types.WebhooksCreateResponse>;
    /** Read an endpoint. And how it is doing.
     * 
     * Scope of API keys: `webhooks`. */
    read(request: MethodRequest<types.WebhooksReadData>): Promise<types.WebhooksReadResponse>;
    /** Change an endpoint. Absent fields stay as they are. `is_active: true` brings back one that the service disabled.
     * 
     * Scope of API keys: `webhooks`. */
    update(request: MethodRequest<types.WebhooksUpdateData>): Promise<types.WebhooksUpdateResponse>;
    /** Remove an endpoint. With all that waits for it.
     * 
     * Scope of API keys: `webhooks`. */
    remove(request: MethodRequest<types.WebhooksRemoveData>): Promise<types.WebhooksRemoveResponse>;
    /** Make a new secret. For 24 hours deliveries carry two signatures, the second one by the old secret.
     * 
     * Scope of API keys: `webhooks`. */
    rotateSecret(request: MethodRequest<types.WebhooksRotateSecretData>): Promise<types.WebhooksRotateSecretResponse>;
    /** Send a test event. Sends `webhook.test` to the endpoint now, also while it is switched off: then with one attempt. Ten an hour and endpoint.
     * 
     * Scope of API keys: `webhooks`. */
    test(request: MethodRequest<types.WebhooksTestData>): Promise<types.WebhooksTestResponse>;
    /** List the deliveries of an endpoint. What was and will be sent, the newest first; kept for 30 days.
     * 
     * Scope of API keys: `webhooks`. */
    listDeliveries(request: MethodRequest<types.WebhooksListDeliveriesData> & { query: { format: 'csv' } }): Promise<string>;
    listDeliveries(request: MethodRequest<types.WebhooksListDeliveriesData>): Pages<types.WebhooksListDeliveriesResponse>;
    /** Read a delivery. With the body that is sent, and every attempt.
     * 
     * Scope of API keys: `webhooks`. */
    readDelivery(request: MethodRequest<types.WebhooksReadDeliveryData>): Promise<types.WebhooksReadDeliveryResponse>;
    /** Send a delivery once more. Now, under the same `webhook-id`; while the endpoint is switched off with one attempt.
     * 
     * Scope of API keys: `webhooks`. */
    redeliver(request: MethodRequest<types.WebhooksRedeliverData>): Promise<types.WebhooksRedeliverResponse>;
    /** Send the events of a period once more. Every event of the period that the endpoint would get today, delivered before or not, under its former `webhook-id`; `only_failed` narrows it to what was given up. Events are kept for 30 days if an endpoint was interested in them. What is being attempted at this moment is left alone and not counted. Twenty an hour.
     * 
     * Scope of API keys: `webhooks`. */
    replay(request: MethodRequest<types.WebhooksReplayData>): Promise<types.WebhooksReplayResponse>;
  };
  events: {
    /** Follow what happens to you. Server-sent events of your own account, as they happen, on whatever device or instance. `event:` is the type, `data:` a thin webhook, and `id:` a place that only grows: who comes back with it, in `Last-Event-ID` or `after`, gets what was missed, once and in order, for 24 hours. `reset` says that something may be missing; read again what you show. A block without `data:` only tells the place. A comment comes after 15 quiet seconds. The stream ends with the session, the ban, the key or the text of it that opened the stream.
     * 
     * ```text
     * : place 1769851800000
     * id: 1769851800000
     * retry: 1000
     * 
     * event: message.started
     * id: 1769851800101
     * data: {"id":"evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e","type":"message.started","timestamp":"2026-01-31T09:30:00.000Z","data":{"chat_id":12,"user_id":7,"agent_id":1,"message_id":102,"parent_id":101,"role":"assistant","status":"streaming","created_at":"2026-01-31T09:30:00.000Z"}}
     * 
     * : ping
     * ```
     * 
     * Scope of API keys: `chat:read`. */
    read(request?: MethodRequest<types.EventsReadData>): Promise<types.EventsReadResponse>;
    /** Get a ticket to read events with EventSource. `EventSource` cannot send `Authorization`: it opens `GET /events?ticket=…` instead. A ticket works for one request within a minute, while the session, or the text of the key, is valid.
     * 
     * Scope of API keys: `chat:read`. */
    createTicket(request?: MethodRequest<types.EventsCreateTicketData>): Promise<types.EventsCreateTicketResponse>;
  };
  connections: {
    /** Servers of tools that one can connect with. With those that one is connected with, by label.
     * 
     * Not for API keys. */
    list(request?: MethodRequest<types.ConnectionsListData>): Pages<types.ConnectionsListResponse>;
    /** Connect with a server of tools. The browser goes to `authorization_url`, and comes back to `return_to` with `connected`, the label, or `error`, a code. Call it from the browser that goes there: it gets a cookie. Where the company vouches for you (`sign_in`), it leads to the provider with which you signed in last.
     * 
     * Not for API keys. */
    start(request: MethodRequest<types.ConnectionsStartData>): Promise<types.ConnectionsStartResponse>;
    /** End a connection with a server of tools. Its tokens are given back at the server. Where the company vouches for you (`sign_in`), the next call gets new ones, until you sign out.
     * 
     * Not for API keys. */
    remove(request: MethodRequest<types.ConnectionsRemoveData>): Promise<types.ConnectionsRemoveResponse>;
    /** What this service says of itself. For authorization servers (client id metadata document). Only where the service is reached by https.
     * 
     * Not for API keys. */
    clientDocument(request?: MethodRequest<types.ConnectionsClientDocumentData>): Promise<types.ConnectionsClientDocumentResponse>;
  };
  bootstrap: {
    /** Load a page. Everything that a page needs when it is loaded: account, quota, budgets, branding, agents, conversations, waiting actions and a ticket for GET /events. Administrators also get what needs attention. Counts as one request. API keys cannot call it: their scopes are those of the single routes.
     * 
     * Not for API keys. */
    read(request?: MethodRequest<types.BootstrapReadData>): Promise<types.BootstrapReadResponse>;
    /** Load the sign-in page. Branding, the ways to sign in, and whether the installation still needs its first administrator.
     * 
     * Not for API keys. */
    signIn(request?: MethodRequest<types.BootstrapSignInData>): Promise<types.BootstrapSignInResponse>;
  };
}
