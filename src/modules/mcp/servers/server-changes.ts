import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { isOAuth, type McpAuth, type McpServerEntity } from './mcp-server.entity';
import type { McpServerFields } from './mcp-server.store';
import type { CreateMcpServerDto, McpServerFieldsDto, UpdateMcpServerDto } from './server-fields.dto';

/** The default fields of a server. */
const DEFAULTS: Omit<McpServerFields, 'label' | 'url'> = {
  auth: 'none',
  clientId: null,
  clientSecret: null,
  scopes: [],
  issuer: null,
  resource: null,
  pkce: 'required',
  headers: {},
  groupIds: null,
  allowedTools: null,
  policies: {},
  trustAnnotations: false,
  elicitation: 'off',
  timeout: 60,
  protocol: 'auto',
  isActive: true,
};

export function newFields(body: CreateMcpServerDto): McpServerFields {
  const { label, url } = body;
  return { ...DEFAULTS, ...toFields(body), label, url };
}

/** @throws ValidationFailedError if stored credentials would be sent to another server, or used in another way */
export function changedFields(body: UpdateMcpServerDto, present: McpServerEntity): Partial<McpServerFields> {
  const changes = { ...toFields(body), ...(body.url !== undefined && { url: body.url }) };
  const { url = present.url, auth = present.auth, clientSecret, headers } = changes;
  const isMoved = new URL(url).origin !== new URL(present.url).origin;
  if (isMoved && present.clientSecret !== null && clientSecret === undefined) {
    throw ValidationFailedError.of('client_secret', 'required');
  }
  if (isMoved && present.headers !== null && headers === undefined) {
    throw ValidationFailedError.of('headers', 'required');
  }
  const keepsSecret = auth !== 'none' && present.clientSecret !== null && clientSecret === undefined;
  if (auth !== present.auth && keepsSecret) {
    throw ValidationFailedError.of('client_secret', 'required');
  }
  if (auth === 'secret' && present.auth !== 'secret' && !clientSecret && !hasMembers(headers)) {
    throw ValidationFailedError.of('client_secret', 'required');
  }
  return auth === 'none' && present.clientSecret !== null && clientSecret === undefined
    ? { ...changes, clientSecret: null }
    : changes;
}

/** Whether a change makes the grants of users invalid, because the server, client, issuer or resource differs. */
export function endsConnections(present: McpServerEntity, after: McpServerEntity): boolean {
  return (
    new URL(present.url).origin !== new URL(after.url).origin ||
    present.auth !== after.auth ||
    present.clientId !== after.clientId ||
    present.issuer !== after.issuer ||
    present.resource !== after.resource
  );
}

/** @throws ValidationFailedError for credentials that are missing or unused */
export function requireCredentials(
  { auth, clientId, clientSecret }: Pick<McpServerFields, 'auth' | 'clientId' | 'clientSecret'>,
  headerNames: readonly string[],
): void {
  if (isOAuth(auth) && headerNames.some((name) => name.toLowerCase() === 'authorization')) {
    throw ValidationFailedError.of('headers', 'not_allowed');
  }
  if (clientId === null && (needsClient(auth) || (auth === 'oauth_user' && clientSecret !== null))) {
    throw ValidationFailedError.of('client_id', 'required');
  }
  if (needsClient(auth) && clientSecret === null) {
    throw ValidationFailedError.of('client_secret', 'required');
  }
  if (auth === 'none' && clientSecret !== null) {
    throw ValidationFailedError.of('client_secret', 'not_allowed');
  }
  if (auth === 'secret' && clientSecret === null && headerNames.length === 0) {
    throw ValidationFailedError.of('client_secret', 'required');
  }
}

/**
 * Whether the server needs a client with a secret, registered by an administrator, because tokens are issued without
 * user interaction.
 */
export function needsClient(auth: McpAuth): boolean {
  return auth === 'oauth_service' || auth === 'enterprise';
}

export function hasMembers(headers: Record<string, string> | undefined): boolean {
  return headers !== undefined && Object.keys(headers).length > 0;
}

/** The fields that the body contains, without absent ones. */
function toFields(body: McpServerFieldsDto): Partial<McpServerFields> {
  return defined<Partial<McpServerFields>>({
    auth: body.auth,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    scopes: body.scopes,
    issuer: body.issuer,
    resource: body.resource,
    pkce: body.pkce,
    headers: body.headers,
    groupIds: body.groups,
    allowedTools: body.allowed_tools,
    policies: body.policies,
    trustAnnotations: body.trust_annotations,
    elicitation: body.elicitation,
    timeout: body.timeout,
    protocol: body.protocol,
    isActive: body.is_active,
  });
}

function defined<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}
