import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { Cookies } from '../../../common/http/cookies';
import { ActionBudgets } from '../../../common/rate-limit/action-budgets';
import { FlowCookie } from '../../../common/redirects/flow-cookie';
import type { Principal } from '../../../common/security/principal';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { ServiceAddress } from '../../identity/identity.api';
import { McpServerError } from '../mcp.errors';
import { Authorities } from '../oauth/authorities';
import { OAuthRefusal } from '../oauth/oauth-failure';
import type { SaidOfScopes } from '../oauth/oauth-grant';
import { TokenRequests } from '../oauth/token-requests';
import { McpFailure } from '../protocol/mcp-failure';
import type { McpServer } from '../servers/mcp-server.store';
import { ConnectionStore, type McpConnection } from './connection.store';
import { ConnectionFlowStore, ConnectionStates, FLOW_SECONDS, type FlowProof } from './connection-flow.store';
import { Registrations } from './registrations';

const START_MILLISECONDS = 25_000;

/** The scope for a refresh token. MCP servers do not request it, and not all authorization servers support it. */
const LASTING = 'offline_access';

/** Each start sends requests to third-party servers, even if it fails. */
const STARTS = { name: 'connection-starts', limit: 30, milliseconds: 10 * MINUTE_MILLISECONDS };

/** The path of the redirect URI, and of the client metadata document. */
const CALLBACK = `/${API_PREFIX}/oauth/mcp/callback`;
const DOCUMENT = `/${API_PREFIX}/oauth/mcp/client.json`;

/** The cookies of flows. Without them, an attacker could make another user connect with the attacker's account. */
@Injectable()
export class ConnectionCookie extends FlowCookie {
  constructor(cookies: Cookies) {
    super(cookies, { prefix: 'mcp', path: `/${API_PREFIX}/oauth/mcp`, seconds: FLOW_SECONDS });
  }
}

/** The URLs that identify this service at authorization servers. */
@Injectable()
export class ClientAddresses {
  constructor(private readonly address: ServiceAddress) {}

  callback(request: Request): string {
    return this.address.page(CALLBACK, request);
  }

  /** Null if users do not reach the service by https, because no server would read the document then. */
  document(request: Request): string | null {
    const url = this.address.page(DOCUMENT, request);
    return url.startsWith('https:') ? url : null;
  }
}

/** Starts connecting a user, which redirects the browser to the authorization server. */
@Injectable()
export class ConnectionStart {
  private readonly logger = new Logger(ConnectionStart.name);

  constructor(
    private readonly authorities: Authorities,
    private readonly registrations: Registrations,
    private readonly requests: TokenRequests,
    private readonly connections: ConnectionStore,
    private readonly flows: ConnectionFlowStore,
    private readonly states: ConnectionStates,
    private readonly cookie: ConnectionCookie,
    private readonly addresses: ClientAddresses,
    private readonly budgets: ActionBudgets,
  ) {}

  /**
   * Returns the URL for the redirect, and sets the cookie that identifies the browser on return.
   *
   * @throws RateLimitExceededError, McpServerError
   */
  async begin(
    response: Response,
    { userId, sessionId }: Principal,
    server: McpServer,
    returnTo: string,
  ): Promise<string> {
    await this.budgets.take(STARTS, userId);
    const state = this.states.make('state');
    const redirectUri = this.addresses.callback(response.req);
    const connection = await this.connections.find(server.id, userId);
    const { url, proof } = await this.leave(server, response.req, { state, redirectUri, connection });
    const browser = this.cookie.write(response, state);
    const known = { userId, sessionId: sessionId ?? 0, serverId: server.id, returnTo };
    await this.flows.begin({ ...known, state, browser, proof: { ...proof, serverUrl: server.url, redirectUri } });
    return url.href;
  }

  private async leave(
    server: McpServer,
    request: Request,
    { state, redirectUri, connection }: { state: string; redirectUri: string; connection: McpConnection | null },
  ): Promise<{ url: URL; proof: Omit<FlowProof, 'serverUrl' | 'redirectUri'> }> {
    const signal = AbortSignal.timeout(START_MILLISECONDS);
    try {
      const { authority, ...said } = await this.authorities.of(server, signal);
      await this.authorities.requireForPeople(authority);
      const known = { redirectUri, documentUrl: this.addresses.document(request) };
      const client = await this.registrations.clientFor(server, authority, known, signal);
      const scopes = scopesFor(server, said, connection);
      const target = { authority, client };
      const { authorizationUrl: url, codeVerifier } = await this.requests.start(target, { redirectUri, state, scopes });
      return { url, proof: { ...target, codeVerifier, scopes } };
    } catch (error) {
      throw this.toFailure(server, error);
    }
  }

  private toFailure(server: McpServer, error: unknown): unknown {
    const isRefused = error instanceof OAuthRefusal;
    if (!isRefused && !(error instanceof McpFailure)) {
      return error;
    }
    const fault = isRefused ? ('authorization' as const) : error.fault;
    this.logger.warn({ server: server.label, reason: error.message }, 'A user could not be connected with a server.');
    return new McpServerError(fault);
  }
}

/**
 * The scopes that the server requests, within those that an administrator set, plus the granted ones and those found
 * missing.
 */
function scopesFor(
  { scopes }: McpServer,
  { demanded, known }: SaidOfScopes,
  connection: McpConnection | null,
): string[] {
  const first = scopes.filter((scope) => demanded?.includes(scope) !== false);
  const asked = new Set([
    ...(first.length === 0 ? scopes : [...first, LASTING]),
    ...(connection?.scopes ?? []),
    ...(connection?.wantedScopes ?? []),
  ]);
  if (known?.includes(LASTING) === false) {
    asked.delete(LASTING);
  }
  return [...asked].filter((scope) => scopes.includes(scope));
}
