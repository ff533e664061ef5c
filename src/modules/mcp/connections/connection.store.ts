import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { insertEntity, insertRow } from '../../../database/statements/insert';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import type { Grant } from '../oauth/oauth-grant';
import { McpServerCipher } from '../servers/mcp-server.store';
import { McpConnectionEntity } from './connection.entity';
import { RevocationWorker } from './revocation-worker';

/** How long a renewal may take. After it another instance tries, so nothing that it asks may take as long. */
const LEASE_MILLISECONDS = 45_000;

export type McpConnection = Readonly<McpConnectionEntity>;

/** What a grant is stored with. */
export type GrantedColumns = Pick<McpConnectionEntity, 'scopes' | 'expiresAt'>;

/** A connection that this instance alone renews. */
export interface LeasedConnection extends McpConnection {
  leaseToken: string;
}

/** The table of connections. What leaves it is given back at its authorization server. */
@Injectable()
export class ConnectionStore {
  constructor(
    private readonly database: Database,
    private readonly cipher: McpServerCipher,
    private readonly clock: Clock,
    private readonly shared: SharedClock,
    private readonly revocations: RevocationWorker,
    serviceSecret: ServiceSecret,
  ) {
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => this.renewSecrets());
    }
  }

  /** @param userId null: of the service itself */
  find(serverId: number, userId: number | null): Promise<McpConnection | null> {
    return findRow(this.database.manager, McpConnectionEntity, { serverId, userId: userId ?? IsNull() });
  }

  get(id: number): Promise<McpConnection | null> {
    return findRow(this.database.manager, McpConnectionEntity, { id });
  }

  ofUser(userId: number): Promise<McpConnection[]> {
    return findRows(this.database.manager, McpConnectionEntity, { userId }, { order: { id: 'ASC' } });
  }

  /** Null when another service secret has encrypted it. */
  grantOf({ sealed }: Pick<McpConnection, 'sealed'>): Grant | null {
    const text = this.cipher.decryptOrNull(sealed);
    return text === null ? null : (JSON.parse(text) as Grant);
  }

  /**
   * Within `Database.write`, with the server's row locked: a connection for which nobody is asked, which has no token yet.
   *
   * @param userId null: of the service itself
   */
  async begin(manager: EntityManager, serverId: number, userId: number | null): Promise<McpConnection> {
    const found = await findLocked(manager, McpConnectionEntity, { serverId, userId: userId ?? IsNull() });
    const now = this.clock.now();
    const row = {
      serverId,
      userId,
      issuer: '',
      resource: '',
      sealed: '',
      scopes: [],
      wantedScopes: [],
      account: null,
      expiresAt: now,
      version: 0,
      attempts: 0,
      leaseToken: null,
      leasedUntil: null,
      connectedAt: now,
    };
    return found ?? insertEntity(manager, McpConnectionEntity, row);
  }

  /** Within `Database.write`, with the server's row locked: keeps what was granted, in the place of what was before. */
  async keep(
    manager: EntityManager,
    serverId: number,
    userId: number | null,
    grant: Grant,
    columns: GrantedColumns & Pick<McpConnectionEntity, 'account'>,
  ): Promise<void> {
    const before = await findLocked(manager, McpConnectionEntity, { serverId, userId: userId ?? IsNull() });
    const row = {
      ...columns,
      ...this.sealed(grant),
      wantedScopes: [],
      version: (before?.version ?? 0) + 1,
      attempts: 0,
      leaseToken: null,
      leasedUntil: null,
      connectedAt: this.clock.now(),
    };
    if (before === null) {
      await insertRow(manager, McpConnectionEntity, { serverId, userId, ...row });
      return;
    }
    if (before.issuer !== row.issuer) {
      await this.revocations.add(manager, [before]);
    }
    await updateRows(manager, McpConnectionEntity, row, { id: before.id });
  }

  /** Within `Database.write`: what nobody keeps is given back. */
  async giveBack(manager: EntityManager, grant: Grant): Promise<void> {
    await this.revocations.add(manager, [this.sealed(grant)]);
  }

  /**
   * Takes the renewal of a connection for this instance alone, and counts the attempt before it is made. Null when another one
   * has it, or has renewed it.
   */
  lease({ id, version }: Pick<McpConnection, 'id' | 'version'>): Promise<LeasedConnection | null> {
    return this.database.write(async (manager) => {
      const present = await findLocked(manager, McpConnectionEntity, { id, version });
      const now = this.shared.now();
      if (present === null || (present.leasedUntil !== null && present.leasedUntil > now)) {
        return null;
      }
      const leaseToken = randomUUID();
      const leasedUntil = new Date(now.getTime() + LEASE_MILLISECONDS);
      const changes = { leaseToken, leasedUntil, attempts: present.attempts + 1 };
      await updateRows(manager, McpConnectionEntity, changes, { id });
      return { ...present, ...changes };
    });
  }

  /** Ends a lease without new tokens. @param isUncertain whether the refresh token may have been redeemed */
  async release({ id, leaseToken, attempts }: LeasedConnection, isUncertain: boolean): Promise<void> {
    const changes = { leaseToken: null, leasedUntil: null, ...(!isUncertain && { attempts: attempts - 1 }) };
    await this.database.write((manager) => updateRows(manager, McpConnectionEntity, changes, { id, leaseToken }));
  }

  /** Keeps new tokens. Null when the connection has ended meanwhile: then they are given back. */
  async renew(leased: LeasedConnection, grant: Grant, granted: GrantedColumns): Promise<McpConnection | null> {
    const { id, leaseToken } = leased;
    const changes = {
      ...granted,
      ...this.sealed(grant),
      version: leased.version + 1,
      attempts: 0,
      leaseToken: null,
      leasedUntil: null,
    };
    return this.database.write(async (manager) => {
      if ((await updateRows(manager, McpConnectionEntity, changes, { id, leaseToken })) === 1) {
        return { ...leased, ...changes };
      }
      await this.revocations.add(manager, [changes]);
      return null;
    });
  }

  /** Notes which scopes the server wants beyond those that were allowed. */
  async want({ id, version }: McpConnection, wantedScopes: string[]): Promise<void> {
    await this.database.write((manager) => updateRows(manager, McpConnectionEntity, { wantedScopes }, { id, version }));
  }

  /** Ends a connection that is still as it was read. @param isGivenBack false: its tokens are dead already */
  async end({ id, version }: McpConnection, isGivenBack: boolean): Promise<void> {
    await this.database.write(async (manager) => {
      const present = await findLocked(manager, McpConnectionEntity, { id, version });
      if (present !== null) {
        await this.remove(manager, [present], isGivenBack);
      }
    });
  }

  /** Within `Database.write`: ends all of a server. */
  async endOfServer(manager: EntityManager, serverId: number): Promise<void> {
    for await (const rows of keysetBatches(manager, McpConnectionEntity, { serverId }, { members: ['id'] })) {
      // Locked, so that no renewal stores tokens between this reading and the removal.
      const which = { id: In(rows.map(({ id }) => id)) };
      await this.remove(manager, await findRows(manager, McpConnectionEntity, which, { lock: 'wait' }));
    }
  }

  /** Within `Database.write`: ends those of a user, of one server or of all. Answers how many there were. */
  async endOfUser(manager: EntityManager, userId: number, serverId?: number): Promise<number> {
    const which = { userId, ...(serverId !== undefined && { serverId }) };
    const rows = await findRows(manager, McpConnectionEntity, which, { lock: 'wait' });
    await this.remove(manager, rows);
    return rows.length;
  }

  private async remove(
    manager: EntityManager,
    rows: readonly McpConnectionEntity[],
    isGivenBack = true,
  ): Promise<void> {
    if (isGivenBack) {
      await this.revocations.add(manager, rows);
    }
    for (const { id } of rows) {
      await deleteRows(manager, McpConnectionEntity, { id });
    }
  }

  private sealed(grant: Grant): Pick<McpConnectionEntity, 'issuer' | 'resource' | 'sealed'> {
    const { metadata, resource } = grant.authority;
    return { issuer: metadata.issuer, resource, sealed: this.cipher.encrypt(JSON.stringify(grant)) };
  }

  /** Encrypts all with the present service secret, so that the previous one can go. */
  private async renewSecrets(): Promise<void> {
    for await (const rows of keysetBatches(this.database.manager, McpConnectionEntity, {})) {
      await this.database.write(async (manager) => {
        for (const { id, version, sealed } of rows) {
          const renewed = this.cipher.renew(sealed);
          if (renewed !== null) {
            // Another instance may have stored new tokens in the meantime.
            await updateRows(manager, McpConnectionEntity, { sealed: renewed }, { id, version });
          }
        }
      });
    }
  }
}
