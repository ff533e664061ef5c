import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { PrincipalService } from '../../user/user.api';
import { type Authorization, connectionNeeded } from '../protocol/authorization';
import { AuthorityFailure, McpFailure } from '../protocol/mcp-failure';
import { isOAuth } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ConnectionStore, type McpConnection } from './connection.store';
import { EnterpriseConnections } from './enterprise-connections';
import { TokenRenewal } from './token-renewal';

/** Provides tokens for servers with OAuth, for users or for the service itself. */
@Injectable()
export class ServerAuthorization {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly renewal: TokenRenewal,
    private readonly enterprise: EnterpriseConnections,
    private readonly servers: McpServerStore,
    private readonly principals: PrincipalService,
    private readonly clock: Clock,
  ) {}

  /**
   * Null if the server does not use OAuth.
   *
   * @throws ConnectionNeededError, McpFailure
   */
  async of(server: McpServer, userId: number | null): Promise<Authorization | null> {
    if (!isOAuth(server.auth)) {
      return null;
    }
    const found = server.auth === 'oauth_service' ? await this.ofService(server) : await this.ofUser(server, userId);
    const isUsable = this.connections.grantOf(found) !== null && isFor(server, found);
    if (!isUsable && server.auth === 'oauth_user') {
      // It was encrypted with another service secret. An instance with that secret may still use it, so it is kept.
      throw connectionNeeded(server);
    }
    const isOver = !isUsable || (await this.isOver(server, found));
    return this.authorization(server, isOver ? await this.renewal.newer(server, found) : found);
  }

  private async isOver({ auth }: McpServer, connection: McpConnection): Promise<boolean> {
    const { expiresAt } = connection;
    return auth === 'enterprise'
      ? !(await this.enterprise.holds(connection))
      : expiresAt !== null && expiresAt <= this.clock.now();
  }

  /** Whether the user needs no further grant before a call of the server. */
  async isGiven(server: McpServer, userId: number, scopes: readonly string[]): Promise<boolean> {
    if (server.auth === 'enterprise') {
      return (await this.enterprise.present(userId)) !== null;
    }
    if (server.auth !== 'oauth_user') {
      return true;
    }
    const found = await this.connections.find(server.id, userId);
    return (
      found !== null &&
      this.connections.grantOf(found) !== null &&
      scopes.every((scope) => found.scopes.includes(scope))
    );
  }

  private authorization(server: McpServer, found: McpConnection): Authorization {
    let connection = found;
    let isRenewed = false;
    return {
      token: () => {
        const grant = this.connections.grantOf(connection);
        if (grant === null) {
          throw connectionNeeded(server);
        }
        return grant.accessToken;
      },
      renew: async () => {
        if (isRenewed) {
          // The server refuses the new token too, so the grant behind it has ended.
          await this.connections.end(connection, true);
          throw this.lacking(server);
        }
        connection = await this.renewal.newer(server, connection);
        // Earlier refusals of other requests do not concern the new token.
        isRenewed = true;
      },
      widen: async (scopes) => {
        const missing = missingScopes(server, connection, scopes);
        if (missing.length === 0 || server.auth === 'oauth_service' || (server.auth === 'enterprise' && isRenewed)) {
          throw new AuthorityFailure('unauthorized');
        }
        if (server.auth === 'oauth_user') {
          await this.connections.want(connection, missing);
          throw connectionNeeded(server, missing);
        }
        connection = await this.renewal.newer(server, connection);
        isRenewed = true;
      },
    };
  }

  private async ofUser(server: McpServer, userId: number | null): Promise<McpConnection> {
    // A banned, suspended or deleted user may not use any server.
    const user = userId === null ? null : await this.principals.activeUser(userId);
    if (user === null) {
      throw new McpFailure('unauthorized');
    }
    const found = await this.connections.find(server.id, userId);
    if (found === null && server.auth === 'enterprise' && (await this.enterprise.present(user.userId)) !== null) {
      return this.begun(server, user.userId);
    }
    return found ?? Promise.reject(connectionNeeded(server));
  }

  private async ofService(server: McpServer): Promise<McpConnection> {
    return (await this.connections.find(server.id, null)) ?? this.begun(server, null);
  }

  /** The first use creates a row without a token, which is then renewed like an expired one. */
  private begun(server: McpServer, userId: number | null): Promise<McpConnection> {
    return this.database.write(async (manager) => {
      await this.servers.lock(manager, server.id);
      return this.connections.begin(manager, server.id, userId);
    });
  }

  private lacking(server: McpServer): Error {
    return server.auth === 'oauth_user' ? connectionNeeded(server) : new AuthorityFailure('unauthorized');
  }
}

/** The server may have moved to another host since it was read, and the user may have connected to that host. */
function isFor({ url, resource: named }: McpServer, { resource }: McpConnection): boolean {
  return resource === named || (URL.canParse(resource) && new URL(resource).origin === new URL(url).origin);
}

/** The requested scopes that the connection lacks, limited to those that an administrator set. */
function missingScopes({ scopes }: McpServer, connection: McpConnection, named: readonly string[]): string[] {
  const asked = named.length === 0 ? scopes : named;
  return asked.filter((scope) => scopes.includes(scope) && !connection.scopes.includes(scope));
}
