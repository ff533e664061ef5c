import { Injectable } from '@nestjs/common';
import type { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import type { CompanySignIn } from '../../identity/identity.api';
import { ConnectionNotFoundError } from '../mcp.errors';
import { mayConnect } from '../servers/may-connect';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import type { ConnectionDto } from './connection.dto';
import { ConnectionStore, type McpConnection } from './connection.store';
import { EnterpriseConnections } from './enterprise-connections';

/** Lists and removes the connections of users. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly servers: McpServerStore,
    private readonly connections: ConnectionStore,
    private readonly enterprise: EnterpriseConnections,
  ) {}

  /** The servers that the user can connect to or is connected to, by label. */
  async list(principal: Principal, { limit, offset }: ListQueryDto): Promise<ListPart<ConnectionDto>> {
    const own = new Map((await this.connections.ofUser(principal.userId)).map((one) => [one.serverId, one]));
    const all = (await this.servers.all())
      .filter((server) => own.has(server.id) || mayConnect(server, principal))
      .sort((one, other) => (one.label < other.label ? -1 : 1));
    const shown = all.slice(offset, offset + limit);
    const isAsked = shown.some(({ auth }) => auth === 'enterprise');
    const company = isAsked ? await this.enterprise.present(principal.userId) : null;
    const described = shown.map(async (server) => {
      const connection = own.get(server.id);
      return server.auth === 'enterprise'
        ? await this.byCompany(server, company, connection)
        : byUser(server, connection);
    });
    return { items: await Promise.all(described), total: all.length };
  }

  /**
   * The server that the user wants to connect to.
   *
   * @throws ConnectionNotFoundError
   */
  async serverFor(principal: Principal, label: string): Promise<McpServer> {
    const found = (await this.servers.all()).find((server) => server.label === label && mayConnect(server, principal));
    return found ?? Promise.reject(new ConnectionNotFoundError());
  }

  /**
   * Ends the connection and revokes its tokens.
   *
   * @throws ConnectionNotFoundError
   */
  async remove({ userId }: Principal, label: string): Promise<void> {
    const server = (await this.servers.all()).find((one) => one.label === label);
    const ended =
      server === undefined
        ? 0
        : await this.database.write((manager) => this.connections.endOfUser(manager, userId, server.id));
    if (ended === 0) {
      throw new ConnectionNotFoundError();
    }
  }

  /** A user who has signed in with the company is connected even before the first call. */
  private async byCompany(
    server: McpServer,
    company: CompanySignIn | null,
    connection: McpConnection | undefined,
  ): Promise<ConnectionDto> {
    const isHeld = connection !== undefined && (await this.enterprise.holds(connection));
    const since = company?.since ?? (isHeld ? connection.connectedAt : null);
    return {
      ...describe(server, connection),
      connected: since !== null,
      ...(company?.account && { account: company.account }),
      connected_at: since?.toISOString() ?? null,
      sign_in: 'company',
    };
  }
}

function byUser(server: McpServer, connection: McpConnection | undefined): ConnectionDto {
  return {
    ...describe(server, connection),
    connected: connection !== undefined,
    ...(connection?.account && { account: connection.account }),
    connected_at: connection?.connectedAt.toISOString() ?? null,
    sign_in: 'server',
  };
}

function describe(
  { label, url }: McpServer,
  connection: McpConnection | undefined,
): Pick<ConnectionDto, 'label' | 'name' | 'host' | 'scopes'> {
  return { label, name: label, host: new URL(url).host, scopes: connection?.scopes ?? [] };
}
