import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../common/clock';
import { Lifecycle } from '../../../common/lifecycle';
import { ServerBreaker } from '../../../common/network/server-breaker';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { ConnectionNeededError } from '../../tool/tool.api';
import { Authorities } from '../oauth/authorities';
import { OAuthRefusal } from '../oauth/oauth-failure';
import type { Authority, Grant, OAuthClient } from '../oauth/oauth-grant';
import { TokenRequests } from '../oauth/token-requests';
import { connectionNeeded } from '../protocol/authorization';
import { AuthorityFailure, McpFailure } from '../protocol/mcp-failure';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { parseScopes } from '../servers/parse-scopes';
import { ConnectionStore, type GrantedColumns, type LeasedConnection, type McpConnection } from './connection.store';
import { EnterpriseConnections } from './enterprise-connections';
import { Registrations } from './registrations';

/** The time limit of all requests of one renewal, which is shorter than its lease. */
const RENEWAL_MILLISECONDS = 25_000;

/** How long a call waits for a renewal by another instance. */
const LONGEST_WAIT_MILLISECONDS = 60_000;

const LOOK_MILLISECONDS = 100;

/** The maximum number of connections with a circuit breaker. */
const MOST_BREAKERS = 1_000;

/** A refresh token is sent again only if the outcome of the first attempt is unknown. */
const MOST_ATTEMPTS = 2;

/** A token is renewed this long before it expires, or when a tenth of its lifetime is left. */
const EARLY_SECONDS = 30;

/** A century. A longer, missing or non-positive lifetime counts as unknown. */
const LONGEST_LIFE_SECONDS = 3_155_760_000;

/**
 * Renews the tokens of connections. One instance does it: it leases the row, commits, sends the request, and stores the
 * response if it still has the lease. Others that wait for the token read the stored one.
 */
@Injectable()
export class TokenRenewal {
  private readonly logger = new Logger(TokenRenewal.name);
  private readonly running = new Map<number, Promise<McpConnection>>();
  /** By connection: a failed renewal counts once, however many calls wait for it. */
  private readonly breakers = new LRUCache<number, ServerBreaker>({ max: MOST_BREAKERS });
  /** Created at startup, because a renewal outlives the caller's unit of work and must not write in its transaction. */
  private readonly outside = new AsyncResource('TokenRenewal');

  constructor(
    private readonly connections: ConnectionStore,
    private readonly servers: McpServerStore,
    private readonly registrations: Registrations,
    private readonly authorities: Authorities,
    private readonly requests: TokenRequests,
    private readonly enterprise: EnterpriseConnections,
    private readonly clock: Clock,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(
      () => Promise.allSettled(this.running.values()),
      () => (this.running.size === 0 ? null : 'renewals of tokens'),
    );
  }

  /**
   * Returns the connection with a newer token than this one. Parallel calls for one connection share the renewal.
   *
   * @throws ConnectionNeededError, McpFailure
   */
  newer(server: McpServer, connection: McpConnection): Promise<McpConnection> {
    const running = this.running.get(connection.id);
    if (running !== undefined) {
      return running;
    }
    if (!this.breakerOf(connection).mayAsk()) {
      return Promise.reject(new AuthorityFailure('left_alone'));
    }
    const begun = this.outside
      .runInAsyncScope(() => this.find(server, connection))
      .finally(() => this.running.delete(connection.id));
    this.running.set(connection.id, begun);
    return begun;
  }

  /** The expiry and scopes as stored. */
  columnsOf(tokens: OAuthTokens, scopes: string[]): GrantedColumns {
    const { scope, expires_in: seconds = 0 } = tokens;
    const isKnown = seconds > 0 && seconds <= LONGEST_LIFE_SECONDS;
    const life = isKnown ? seconds - Math.min(EARLY_SECONDS, seconds / 10) : null;
    return {
      scopes: scope === undefined ? scopes : parseScopes(scope),
      expiresAt: life === null ? null : new Date(this.clock.now().getTime() + life * SECOND_MILLISECONDS),
    };
  }

  private async find(server: McpServer, connection: McpConnection): Promise<McpConnection> {
    const end = performance.now() + LONGEST_WAIT_MILLISECONDS;
    while (performance.now() < end) {
      const leased = await this.connections.lease(connection);
      if (leased !== null) {
        return this.watched(server, leased);
      }
      const present = await this.connections.get(connection.id);
      if (present === null) {
        throw connectionNeeded(server);
      }
      if (present.version !== connection.version) {
        return present;
      }
      await delay(LOOK_MILLISECONDS);
    }
    throw new AuthorityFailure('timeout');
  }

  private async watched(server: McpServer, leased: LeasedConnection): Promise<McpConnection> {
    try {
      const renewed = await this.renew(server, leased);
      this.breakerOf(leased).succeeded();
      return renewed;
    } catch (error) {
      const reason = error instanceof McpFailure ? error.fault : error instanceof OAuthRefusal ? error.code : 'ended';
      this.logger.warn(
        { server: server.label, userId: leased.userId, reason },
        'The token for a server was not renewed.',
      );
      if (error instanceof McpFailure && error.isOutage) {
        this.breakerOf(leased).failed();
      }
      // The tool call that waits for the token has not been sent.
      return unsent(error instanceof OAuthRefusal ? new McpFailure('unauthorized') : error);
    }
  }

  private breakerOf({ id }: Pick<McpConnection, 'id'>): ServerBreaker {
    const breaker = this.breakers.get(id) ?? new ServerBreaker(() => this.clock.now().getTime());
    this.breakers.set(id, breaker);
    return breaker;
  }

  private async renew(server: McpServer, leased: LeasedConnection): Promise<McpConnection> {
    const grant = this.connections.grantOf(leased);
    const isAllowed = server.auth === 'oauth_user';
    const isOver = isAllowed
      ? grant === null || grant.refreshToken === null || leased.attempts > MOST_ATTEMPTS
      : leased.userId !== null && (await this.enterprise.present(leased.userId)) === null;
    if (isOver) {
      return this.ended(server, leased);
    }
    const signal = AbortSignal.timeout(RENEWAL_MILLISECONDS);
    try {
      // At this point the refresh token has not been sent either.
      const { authority } = await this.authorities.of(server, signal).catch(unsent);
      if (!isAllowed) {
        return await this.stored(server, leased, await this.renewWithoutUser(server, authority, leased, signal));
      }
      const { issuer } = authority.metadata;
      if (grant === null || issuer !== leased.issuer || authority.resource !== leased.resource) {
        return await this.ended(server, leased);
      }
      const client = this.presentClient(server, grant.client);
      const tokens = await this.requests.refresh({ authority, client }, grant.refreshToken ?? '', signal);
      const { access_token: accessToken, refresh_token: refreshToken = grant.refreshToken } = tokens;
      return await this.stored(server, leased, {
        grant: { authority, client, accessToken, refreshToken },
        columns: this.columnsOf(tokens, leased.scopes),
      });
    } catch (error) {
      return await this.failed(server, leased, error, grant?.client);
    }
  }

  /** A token without user interaction: for the service itself, or for a user with a company sign-in. */
  private async renewWithoutUser(
    server: McpServer,
    authority: Authority,
    leased: LeasedConnection,
    signal: AbortSignal,
  ): Promise<{ grant: Grant; columns: GrantedColumns }> {
    const client = await this.registrations.findManual(server, authority);
    if (client === null) {
      throw new McpFailure('unauthorized');
    }
    const { userId, scopes } = leased;
    const target = { authority, client };
    if (userId === null) {
      const tokens = await this.requests.clientCredentials(target, server.scopes, signal);
      await this.registrations.bind(server.id, target);
      const grant = { ...target, accessToken: tokens.access_token, refreshToken: null };
      return { grant, columns: this.columnsOf(tokens, scopes) };
    }
    const asserted = await this.enterprise.assertionFor(server, userId, authority);
    if (asserted === null) {
      return this.ended(server, leased);
    }
    const tokens = await this.requests.asserted(target, asserted.assertion, server.scopes, signal);
    await this.registrations.bind(server.id, target);
    const grant = { ...target, accessToken: tokens.access_token, refreshToken: null, assertedBy: asserted.by };
    return { grant, columns: this.columnsOf(tokens, server.scopes) };
  }

  /** An administrator may have changed the secret since the user connected. */
  private presentClient(server: McpServer, client: OAuthClient): OAuthClient {
    return client.kind === 'by_hand' ? (this.registrations.byHand(server) ?? client) : client;
  }

  private async stored(
    server: McpServer,
    leased: LeasedConnection,
    { grant, columns }: { grant: Grant; columns: GrantedColumns },
  ): Promise<McpConnection> {
    const renewed = await this.connections.renew(leased, grant, columns);
    if (renewed === null) {
      throw connectionNeeded(server);
    }
    return renewed;
  }

  /** A temporary failure keeps the connection unchanged. A rejected refresh token is never sent again. */
  private async failed(
    server: McpServer,
    leased: LeasedConnection,
    error: unknown,
    client: OAuthClient | undefined,
  ): Promise<never> {
    if (error instanceof OAuthRefusal && server.auth === 'oauth_user' && !isOurFault(client, error)) {
      if (error.code === 'invalid_client') {
        await this.registrations.forget(server.id);
      }
      return this.ended(server, leased, false);
    }
    if (!(error instanceof ConnectionNeededError)) {
      // Other errors, such as those of our database, usually occur after the token was redeemed.
      const isUncertain = error instanceof McpFailure ? error.isSent : !(error instanceof OAuthRefusal);
      await this.connections.release(leased, isUncertain);
    }
    throw error;
  }

  private async ended(server: McpServer, leased: LeasedConnection, isGivenBack = true): Promise<never> {
    await this.connections.end(leased, isGivenBack);
    throw connectionNeeded(server);
  }
}

/** The refresh token or request was not sent, so the outcome is known. */
function unsent(error: unknown): never {
  throw error instanceof McpFailure ? new AuthorityFailure(error.fault) : error;
}

/** An incorrect secret set by an administrator must not end the grants of users. */
function isOurFault(client: OAuthClient | undefined, { code }: OAuthRefusal): boolean {
  return client?.kind === 'by_hand' && code === 'invalid_client';
}
