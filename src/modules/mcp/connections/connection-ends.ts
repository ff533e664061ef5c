import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { ConnectionStore } from './connection.store';
import { McpConnectionFlowEntity } from './connection-flow.entity';
import { McpRegistrationEntity } from './registration.entity';

/** Ends what belongs to a server that goes, or becomes another one. */
@Injectable()
export class ConnectionEnds {
  constructor(private readonly connections: ConnectionStore) {}

  /** Within `Database.write`: connections, which are given back, and those under way. */
  async ofServer(manager: EntityManager, serverId: number): Promise<void> {
    await this.connections.endOfServer(manager, serverId);
    await deleteRows(manager, McpConnectionFlowEntity, { serverId });
    await this.ofSecret(manager, serverId);
  }

  /** Within `Database.write`: which authorization server a secret belongs to, since another one was set. */
  async ofSecret(manager: EntityManager, serverId: number): Promise<void> {
    await deleteRows(manager, McpRegistrationEntity, { serverId });
  }
}
