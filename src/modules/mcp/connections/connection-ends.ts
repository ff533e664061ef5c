import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { ConnectionStore } from './connection.store';
import { McpConnectionFlowEntity } from './connection-flow.entity';
import { McpRegistrationEntity } from './registration.entity';

/** Ends everything that depends on a server that is deleted or replaced. */
@Injectable()
export class ConnectionEnds {
  constructor(private readonly connections: ConnectionStore) {}

  /** Ends and revokes the connections and removes the running flows of a server. Call it within `Database.write`. */
  async ofServer(manager: EntityManager, serverId: number): Promise<void> {
    await this.connections.endOfServer(manager, serverId);
    await deleteRows(manager, McpConnectionFlowEntity, { serverId });
    await this.ofSecret(manager, serverId);
  }

  /** Unbinds a replaced client secret from its authorization server. Call it within `Database.write`. */
  async ofSecret(manager: EntityManager, serverId: number): Promise<void> {
    await deleteRows(manager, McpRegistrationEntity, { serverId });
  }
}
