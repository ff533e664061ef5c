import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { PersonalDataRegistry } from '../../user/user.api';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { McpConnectionEntity } from './connection.entity';
import { ConnectionStore } from './connection.store';
import { McpConnectionFlowEntity } from './connection-flow.entity';

/** Exports a user's connections without tokens. When the user leaves, the tokens are revoked. */
@Injectable()
export class ConnectionPersonalData {
  constructor(
    private readonly servers: McpServerStore,
    private readonly connections: ConnectionStore,
    database: Database,
    registry: PersonalDataRegistry,
    events: DomainEvents,
  ) {
    events.on('user.deleted', async ({ userId }, manager) => {
      if (userId !== null) await connections.endOfUser(manager, userId);
    });
    registry.register({
      name: 'connections',
      entities: [McpConnectionEntity],
      rows: (userId) => this.rows(userId),
      erase: async (userId) => {
        await database.write((manager) => connections.endOfUser(manager, userId));
      },
    });
    registry.register({
      name: 'connections_under_way',
      entities: [McpConnectionFlowEntity],
      rows: () => nothing(),
      erase: (userId) => registry.delete(McpConnectionFlowEntity, userId),
    });
  }

  private async *rows(userId: number): AsyncGenerator<object> {
    const servers = new Map((await this.servers.all()).map((server): [number, McpServer] => [server.id, server]));
    for (const { serverId, issuer, scopes, account, connectedAt } of await this.connections.ofUser(userId)) {
      const label = servers.get(serverId)?.label ?? null;
      yield { server: label, issuer, account, scopes, connected_at: connectedAt.toISOString() };
    }
  }
}

/** A running flow lives for minutes and has only data of the later connection. */
async function* nothing(): AsyncGenerator<object> {}
