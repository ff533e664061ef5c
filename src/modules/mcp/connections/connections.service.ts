import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { ConnectionNotFoundError } from '../mcp.errors';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import type { ConnectionDto } from './connection.dto';
import { ConnectionStore, type McpConnection } from './connection.store';
import { mayConnect } from './may-connect';

/** The connections of users. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly servers: McpServerStore,
    private readonly connections: ConnectionStore,
  ) {}

  /** Servers that the user can connect with, and those that the user is connected with, by label. */
  async list(principal: Principal): Promise<ConnectionDto[]> {
    const own = new Map((await this.connections.ofUser(principal.userId)).map((one) => [one.serverId, one]));
    const shown = (await this.servers.all()).filter((server) => own.has(server.id) || mayConnect(server, principal));
    return shown
      .map((server) => toDto(server, own.get(server.id)))
      .sort((one, other) => (one.label < other.label ? -1 : 1));
  }

  /** The server that the user wants to connect with. @throws ConnectionNotFoundError */
  async serverFor(principal: Principal, label: string): Promise<McpServer> {
    const found = (await this.servers.all()).find((server) => server.label === label && mayConnect(server, principal));
    return found ?? Promise.reject(new ConnectionNotFoundError());
  }

  /** Its tokens are given back at the server. @throws ConnectionNotFoundError */
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
}

function toDto({ label, url }: McpServer, connection: McpConnection | undefined): ConnectionDto {
  return {
    label,
    name: label,
    host: new URL(url).host,
    connected: connection !== undefined,
    ...(connection?.account && { account: connection.account }),
    scopes: connection?.scopes ?? [],
    connected_at: connection?.connectedAt.toISOString() ?? null,
  };
}
