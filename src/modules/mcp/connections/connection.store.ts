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

/** The lease of a renewal. Another instance retries after it, so no request of a renewal may take this long. */
const LEASE_MILLISECONDS = 45_000;

export type McpConnection = Readonly<McpConnectionEntity>;

/** The columns of a grant. */
export type GrantedColumns = Pick<McpConnectionEntity, 'scopes' | 'expiresAt'>;

/** A connection whose renewal this instance has leased. */
export interface LeasedConnection extends McpConnection {
  leaseToken: string;
}

/** Stores connections. Tokens of a removed connection are revoked at their authorization server. */
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

  /** @param userId null: the service itself */
  find(serverId: number, userId: number | null): Promise<McpConnection | null> {
    return findRow(this.database.manager, McpConnectionEntity, { serverId, userId: userId ?? IsNull() });
  }

  get(id: number): Promise<McpConnection | null> {
    return findRow(this.database.manager, McpConnectionEntity, { id });
  }

  ofUser(userId: number): Promise<McpConnection[]> {
    return findRows(this.database.manager, McpConnectionEntity, { userId }, { order: { id: 'ASC' } });
  }

  /** Null if it was encrypted with another service secret. */
  grantOf({ sealed }: Pick<McpConnection, 'sealed'>): Grant | null {
    const text = this.cipher.decryptOrNull(sealed);
    return text === null ? null : (JSON.parse(text) as Grant);
  }

  /**
   * Creates a connection without a token, for grants without user interaction. Call it within `Database.write`, with
   * the server's row locked.
   *
   * @param userId null: the service itself
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

  /** Stores a grant in place of the previous one. Call it within `Database.write`, with the server's row locked. */
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

  /** Revokes a grant that was not stored. Call it within `Database.write`. */
  async revokeGrant(manager: EntityManager, grant: Grant): Promise<void> {
    await this.revocations.add(manager, [this.sealed(grant)]);
  }

  /**
   * Leases the renewal of a connection to this instance, and counts the attempt before it is made. Null if another
   * instance has the lease or has already renewed the token.
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

  /**
   * Ends a lease without new tokens.
   *
   * @param isUncertain whether the refresh token may have been redeemed
   */
  async release({ id, leaseToken, attempts }: LeasedConnection, isUncertain: boolean): Promise<void> {
    const changes = { leaseToken: null, leasedUntil: null, ...(!isUncertain && { attempts: attempts - 1 }) };
    await this.database.write((manager) => updateRows(manager, McpConnectionEntity, changes, { id, leaseToken }));
  }

  /** Stores new tokens. Null if the connection has ended since the lease; the tokens are then revoked. */
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

  /** Stores the scopes that the server requests in addition to the granted ones. */
  async want({ id, version }: McpConnection, wantedScopes: string[]): Promise<void> {
    await this.database.write((manager) => updateRows(manager, McpConnectionEntity, { wantedScopes }, { id, version }));
  }

  /**
   * Ends a connection that has not changed since it was read.
   *
   * @param isGivenBack whether to revoke its tokens; false if they are already invalid
   */
  async end({ id, version }: McpConnection, isGivenBack: boolean): Promise<void> {
    await this.database.write(async (manager) => {
      const present = await findLocked(manager, McpConnectionEntity, { id, version });
      if (present !== null) {
        await this.remove(manager, [present], isGivenBack);
      }
    });
  }

  /** Ends all connections of a server. Call it within `Database.write`. */
  async endOfServer(manager: EntityManager, serverId: number): Promise<void> {
    for await (const rows of keysetBatches(manager, McpConnectionEntity, { serverId }, { members: ['id'] })) {
      // The lock prevents a renewal from storing tokens between this read and the removal.
      const which = { id: In(rows.map(({ id }) => id)) };
      await this.remove(manager, await findRows(manager, McpConnectionEntity, which, { lock: 'wait' }));
    }
  }

  /** Ends the connections of a user, with one server or all. Returns their number. Call it within `Database.write`. */
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

  /** Re-encrypts all rows with the current service secret, so that the previous one can be removed. */
  private async renewSecrets(): Promise<void> {
    for await (const rows of keysetBatches(this.database.manager, McpConnectionEntity, {})) {
      await this.database.write(async (manager) => {
        for (const { id, version, sealed } of rows) {
          const renewed = this.cipher.renew(sealed);
          if (renewed !== null) {
            // Another instance may have stored new tokens since the read; the version then differs.
            await updateRows(manager, McpConnectionEntity, { sealed: renewed }, { id, version });
          }
        }
      });
    }
  }
}
