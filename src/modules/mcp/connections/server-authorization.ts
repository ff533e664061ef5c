import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { ConnectionNeededError } from '../../tool/tool.api';
import { PrincipalService } from '../../user/user.api';
import type { Authorization } from '../protocol/authorization';
import { McpFailure } from '../protocol/mcp-failure';
import { isOAuth } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ConnectionStore, type McpConnection } from './connection.store';
import { TokenRenewal } from './token-renewal';

/** Gets tokens for servers that people or the service sign in at by OAuth. */
@Injectable()
export class ServerAuthorization {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly renewal: TokenRenewal,
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
    const { expiresAt } = found;
    const isOver = expiresAt !== null && expiresAt <= this.clock.now();
    return this.authorization(server, isOver ? await this.renewal.newer(server, found) : found);
  }

  /** Whether the user has nothing to allow any more before the server is called. */
  async isGiven(server: McpServer, userId: number, scopes: readonly string[]): Promise<boolean> {
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
          throw new ConnectionNeededError(server.label, []);
        }
        return grant.accessToken;
      },
      renew: async () => {
        if (isRenewed) {
          // A new token is refused too: what it was given for has ended.
          await this.connections.end(connection, true);
          throw this.lacking(server);
        }
        isRenewed = true;
        connection = await this.renewal.newer(server, connection);
      },
      widen: (scopes) => this.widen(server, connection, scopes),
    };
  }

  private async ofUser(server: McpServer, userId: number | null): Promise<McpConnection> {
    // Whoever is banned, suspended or gone speaks with no server.
    const user = userId === null ? null : await this.principals.ofUser(userId).catch(() => null);
    if (user === null) {
      throw new McpFailure('unauthorized');
    }
    const found = await this.connections.find(server.id, userId);
    return found ?? Promise.reject(new ConnectionNeededError(server.label, []));
  }

  /** The first one makes a row without a token, which is renewed like one that has ended. */
  private async ofService(server: McpServer): Promise<McpConnection> {
    const found = await this.connections.find(server.id, null);
    return (
      found ??
      this.database.write(async (manager) => {
        await this.servers.lock(manager, server.id);
        return this.connections.begin(manager, server.id);
      })
    );
  }

  /** Never beyond what an administrator set. */
  private async widen(server: McpServer, connection: McpConnection, named: readonly string[]): Promise<never> {
    const asked = named.length === 0 ? server.scopes : named;
    const missing = asked.filter((scope) => server.scopes.includes(scope) && !connection.scopes.includes(scope));
    if (missing.length === 0 || connection.userId === null) {
      throw new McpFailure('unauthorized');
    }
    await this.connections.want(connection, missing);
    throw new ConnectionNeededError(server.label, missing);
  }

  private lacking({ auth, label }: McpServer): Error {
    return auth === 'oauth_user' ? new ConnectionNeededError(label, []) : new McpFailure('unauthorized');
  }
}
