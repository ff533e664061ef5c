import { defineAudit } from '../../../common/audit/audit-definition';
import type { McpTool } from '../tools/mcp-tool.store';
import type { McpServerEntity } from './mcp-server.entity';

/** The audit log contains all fields of a server except its secrets. */
export const mcpServerAudit = defineAudit<McpServerEntity & { isSecretNew?: boolean; areHeadersNew?: boolean }>({
  subject: 'mcp_server',
  state: (server) => ({
    label: server.label,
    url: server.url,
    auth: server.auth,
    client_id: server.clientId,
    scopes: server.scopes,
    issuer: server.issuer,
    resource: server.resource,
    pkce: server.pkce,
    header_names: server.headerNames,
    groups: server.groupIds,
    allowed_tools: server.allowedTools,
    policies: server.policies,
    trust_annotations: server.trustAnnotations,
    elicitation: server.elicitation,
    timeout: server.timeout,
    protocol: server.protocol,
    is_active: server.isActive,
    ...(server.isSecretNew && { client_secret: 'changed' }),
    ...(server.areHeadersNew && { headers: 'changed' }),
  }),
  personal: [],
});

/** A decision about a tool. */
export const mcpToolAudit = defineAudit<McpTool>({
  subject: 'mcp_tool',
  state: ({ serverId, name, state, pin }) => ({ server_id: serverId, name, state, pin }),
  personal: [],
});
