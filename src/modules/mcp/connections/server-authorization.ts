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

/** Gets tokens for servers that people or the service sign in at by OAuth. */
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
   * Null: the server knows this service by other means.
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
      // Another service secret has encrypted it; an instance that has that secret may still use it.
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

  /** Whether the user has nothing to allow any more before the server is called. */
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
          // A new token is refused too: what it was given for has ended.
          await this.connections.end(connection, true);
          throw this.lacking(server);
        }
        connection = await this.renewal.newer(server, connection);
        // Whatever else is refused until then says nothing of the new one.
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
    // Whoever is banned, suspended or gone speaks with no server.
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

  /** The first one makes a row without a token, which is renewed like one that has ended. */
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

/** Since the server was read here, it may have moved to another host, and its user connected with that. */
function isFor({ url, resource: named }: McpServer, { resource }: McpConnection): boolean {
  return resource === named || (URL.canParse(resource) && new URL(resource).origin === new URL(url).origin);
}

/** What the connection lacks. Never beyond what an administrator set. */
function missingScopes({ scopes }: McpServer, connection: McpConnection, named: readonly string[]): string[] {
  const asked = named.length === 0 ? scopes : named;
  return asked.filter((scope) => scopes.includes(scope) && !connection.scopes.includes(scope));
}
