import type { OAuthTokens } from '@modelcontextprotocol/client';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../../../common/errors/api-error';
import { DomainEvents } from '../../../common/events/domain-events';
import { isTokenOf } from '../../../common/redirects/one-time-tokens';
import { Database } from '../../../database/database';
import { PrincipalService, UserNotFoundError, UserService } from '../../user/user.api';
import {
  ConnectionCancelledError,
  ConnectionStateInvalidError,
  McpServerError,
  McpServerNotFoundError,
} from '../mcp.errors';
import { connected } from '../mcp.events';
import { OAuthRefusal } from '../oauth/oauth-failure';
import { TokenRequests } from '../oauth/token-requests';
import { McpFailure } from '../protocol/mcp-failure';
import { mayConnect } from '../servers/may-connect';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ConnectionStore } from './connection.store';
import type { McpConnectionFlowEntity } from './connection-flow.entity';
import { ConnectionFlowStore, ConnectionStates, type FlowProof } from './connection-flow.store';
import { ConnectionCookie } from './connection-start';
import { Registrations } from './registrations';
import { TokenRenewal } from './token-renewal';

const EXCHANGE_MILLISECONDS = 10_000;

/** Handles the redirect from an authorization server and stores the grant. */
@Injectable()
export class ConnectionCallback {
  private readonly logger = new Logger(ConnectionCallback.name);

  constructor(
    private readonly database: Database,
    private readonly servers: McpServerStore,
    private readonly connections: ConnectionStore,
    private readonly flows: ConnectionFlowStore,
    private readonly states: ConnectionStates,
    private readonly cookie: ConnectionCookie,
    private readonly registrations: Registrations,
    private readonly requests: TokenRequests,
    private readonly renewal: TokenRenewal,
    private readonly principals: PrincipalService,
    private readonly users: UserService,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Uses up the flow of a state, even if the flow then fails.
   *
   * @throws ConnectionStateInvalidError
   */
  async spend(answer: URLSearchParams): Promise<McpConnectionFlowEntity> {
    const [state, ...others] = answer.getAll('state');
    const flow = this.states.isOurs('state', state) && others.length === 0 ? await this.flows.spend(state) : null;
    return flow ?? Promise.reject(new ConnectionStateInvalidError());
  }

  /**
   * Returns the label of the server that the user is now connected to.
   *
   * @throws ConnectionStateInvalidError for another browser, an ended session, and a server that the user may no longer
   * use
   * @throws ConnectionCancelledError, McpServerError
   */
  async finish(response: Response, flow: McpConnectionFlowEntity, answer: URLSearchParams): Promise<string> {
    const proof = this.flows.proofOf(flow);
    const browser = this.cookie.take(response, answer.get('state') ?? '');
    const server = await this.servers.get(flow.serverId).catch(absent);
    if (proof === null || server?.url !== proof.serverUrl || !isTokenOf(browser, flow.browserHash)) {
      throw new ConnectionStateInvalidError();
    }
    const principal = await this.principals.resolve(flow.userId, flow.sessionId).catch(absent);
    if (principal === null || !mayConnect(server, principal)) {
      throw new ConnectionStateInvalidError();
    }
    const tokens = await this.redeem(server, proof, answer);
    await this.keep(server, flow.userId, proof, tokens);
    return server.label;
  }

  private async redeem(server: McpServer, proof: FlowProof, answer: URLSearchParams): Promise<OAuthTokens> {
    const { codeVerifier, redirectUri } = proof;
    const [code, iss, error] = (['code', 'iss', 'error'] as const).map((name) => single(answer, name));
    try {
      if (error !== undefined) {
        throw error === 'access_denied' ? new ConnectionCancelledError() : new OAuthRefusal('authorization');
      }
      if (code === undefined) {
        throw new McpFailure('authorization');
      }
      if (proof.client.kind === 'by_hand') {
        // The secret may have been bound to another authorization server since the flow started.
        await this.registrations.findManual(server, proof.authority);
      }
      const signal = AbortSignal.timeout(EXCHANGE_MILLISECONDS);
      const tokens = await this.requests.exchange(proof, { code, iss, codeVerifier, redirectUri }, signal);
      await this.registrations.bind(server.id, proof);
      return tokens;
    } catch (thrown) {
      throw await this.toFailure(server, proof, thrown);
    }
  }

  private async toFailure(server: McpServer, { client }: FlowProof, error: unknown): Promise<unknown> {
    const isRefused = error instanceof OAuthRefusal;
    if (!isRefused && !(error instanceof McpFailure)) {
      return error;
    }
    if (isRefused && error.code === 'invalid_client' && client.kind === 'registered') {
      await this.registrations.forget(server.id);
    }
    this.logger.warn({ server: server.label, reason: error.message }, 'A user could not be connected with a server.');
    return new McpServerError(isRefused ? 'authorization' : error.fault);
  }

  /** Tokens are revoked if the server has changed or the user has left since the flow started. */
  private async keep(server: McpServer, userId: number, proof: FlowProof, tokens: OAuthTokens): Promise<void> {
    const { access_token: accessToken, refresh_token: refreshToken = null } = tokens;
    const { authority, client, scopes } = proof;
    const grant = { authority, client, accessToken, refreshToken };
    const columns = { ...this.renewal.columnsOf(tokens, scopes), account: accountIn(tokens) };
    const isStored = await this.database.write(async (manager) => {
      if (!(await this.isWanted(manager, server.id, userId, proof))) {
        await this.connections.revokeGrant(manager, grant);
        return false;
      }
      await this.connections.keep(manager, server.id, userId, grant, columns);
      // Continues the calls that wait for the connection.
      await this.events.publish(manager, connected(userId, server.label));
      return true;
    });
    if (!isStored) {
      throw new ConnectionStateInvalidError();
    }
  }

  /** Whether server and user are unchanged. Locks both rows. */
  private async isWanted(
    manager: EntityManager,
    serverId: number,
    userId: number,
    { client, serverUrl }: FlowProof,
  ): Promise<boolean> {
    try {
      await this.users.lock(manager, userId);
      const { url, auth, clientId } = await this.servers.lock(manager, serverId);
      const isSameClient =
        client.kind === 'document' || clientId === (client.kind === 'by_hand' ? client.client_id : null);
      return url === serverUrl && auth === 'oauth_user' && isSameClient;
    } catch (error) {
      if (error instanceof UserNotFoundError || error instanceof McpServerNotFoundError) {
        return false;
      }
      throw error;
    }
  }
}

/** Null if the server or user does not exist. Errors of this service are rethrown. */
function absent(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) {
    return null;
  }
  throw error;
}

/** A repeated parameter counts as missing. */
function single(answer: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = answer.getAll(name);
  return others.length === 0 ? value : '';
}

/** The user's name at the server. It is only displayed, so the signature is not verified. */
function accountIn({ id_token: token }: OAuthTokens): string | null {
  try {
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const name = claims.email ?? claims.preferred_username;
    return typeof name === 'string' ? name.replace(/[^\x20-\x7e]/g, '').slice(0, 255) : null;
  } catch {
    return null;
  }
}
