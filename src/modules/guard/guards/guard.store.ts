import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { GuardPresence } from '../../../common/guard-presence';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { GuardExistsError, GuardNotFoundError } from '../guard.errors';
import { GuardEntity } from './guard.entity';

const CHANNEL = 'guards';

/** A change takes effect on every instance within five seconds, even without Redis. */
const REREAD_MILLISECONDS = 4_000;

/** Standard Webhooks requires 24 to 64 random bytes. */
const SECRET_BYTES = 32;

export const SECRET_PREFIX = 'whsec_';

/** A read-only guard. */
export type Guard = Readonly<GuardEntity>;

/** The settable fields, with decrypted secrets. The database has them encrypted. */
export interface GuardFields extends Omit<
  GuardEntity,
  'id' | 'headers' | 'headerNames' | 'position' | 'version' | 'failingSince' | 'createdAt' | 'updatedAt'
> {
  headers: Record<string, string>;
}

/** A new signing secret (Standard Webhooks). */
export function newGuardSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Encrypts the credentials for guards. */
@Injectable()
export class GuardCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('guards'));
  }
}

/**
 * Stores guards. Each instance has all of them in memory, so that a message costs no query, and nothing at all while
 * none exists.
 */
@Injectable()
export class GuardStore {
  private readonly logger = new Logger(GuardStore.name);
  private guards: readonly Guard[] = [];
  private reads = 0;

  constructor(
    private readonly database: Database,
    private readonly cipher: GuardCipher,
    private readonly clock: Clock,
    private readonly redis: RedisConnection,
    private readonly presence: GuardPresence,
    background: BackgroundWork,
    serviceSecret: ServiceSecret,
  ) {
    database.onReady(async () => {
      if (serviceSecret.isBeingRotated) {
        await this.renewSecrets();
      }
      await this.reread();
    });
    redis.subscribe(CHANNEL, () => {
      this.reread().catch((error: unknown) => this.logger.warn({ error }, 'The guards could not be read again.'));
    });
    if (database.isShared) {
      background.add({
        step: () => this.reread().then(() => null),
        onError: (error) => this.logger.warn({ error }, 'The guards could not be read again.'),
        idleMilliseconds: REREAD_MILLISECONDS,
      });
    }
  }

  /** All guards that this instance knows, by position. */
  get all(): readonly Guard[] {
    return this.guards;
  }

  /** @throws GuardNotFoundError */
  get(id: number): Guard {
    const found = this.guards.find((guard) => guard.id === id);
    if (found === undefined) {
      throw new GuardNotFoundError();
    }
    return found;
  }

  /** Reads the guards now, and notifies the other instances. Call it after the commit of a change. */
  async announce(): Promise<void> {
    await this.reread();
    this.redis.publish(CHANNEL, '');
  }

  /** Locks all guards until the transaction ends, by position. Call it within `Database.write`. */
  lockAll(manager: EntityManager): Promise<GuardEntity[]> {
    return findRows(manager, GuardEntity, {}, { order: { position: 'ASC', id: 'ASC' }, lock: 'wait' });
  }

  /** Call it within `Database.write`. @throws GuardNotFoundError */
  async lock(manager: EntityManager, id: number): Promise<GuardEntity> {
    const found = await findLocked(manager, GuardEntity, { id });
    return found ?? Promise.reject(new GuardNotFoundError());
  }

  /** Call it within `Database.write`. @throws GuardExistsError */
  async insert(
    manager: EntityManager,
    { secret, headers, ...fields }: GuardFields,
    position: number,
  ): Promise<GuardEntity> {
    const now = this.clock.now();
    const columns = { ...fields, ...this.sealed({ secret, headers }), position };
    const row = { ...columns, version: 1, failingSince: null, createdAt: now, updatedAt: now };
    return refusingDuplicates(insertEntity(manager, GuardEntity, row as Omit<GuardEntity, 'id'>));
  }

  /**
   * Changes a locked guard, whose findings are then outdated. Call it within `Database.write`.
   *
   * @throws GuardExistsError
   */
  async update(
    manager: EntityManager,
    present: GuardEntity,
    { secret, headers, ...changes }: Partial<GuardFields>,
  ): Promise<GuardEntity> {
    const columns = {
      ...changes,
      ...this.sealed({ ...(secret !== undefined && { secret }), ...(headers && { headers }) }),
      version: present.version + 1,
      updatedAt: this.clock.now(),
    };
    await refusingDuplicates(updateRows(manager, GuardEntity, columns, { id: present.id }));
    return { ...present, ...columns };
  }

  /** Call it within `Database.write`. */
  async place(manager: EntityManager, { id }: Guard, position: number): Promise<void> {
    await updateRows(manager, GuardEntity, { position }, { id });
  }

  /** Call it within `Database.write`. */
  async remove(manager: EntityManager, { id }: Guard): Promise<void> {
    await deleteRows(manager, GuardEntity, { id });
  }

  /** Within `Database.write`: stores that an outage began, or with null that it ended. @returns whether it is news */
  async noteOutage(manager: EntityManager, id: number, since: Date | null): Promise<boolean> {
    const condition = since === null ? 'failing_since IS NOT NULL' : 'failing_since IS NULL';
    return (await updateRows(manager, GuardEntity, { failingSince: since }, `id = ? AND ${condition}`, [id])) > 0;
  }

  /** The secret and the headers of requests to the guard; null if they were encrypted with another service secret. */
  credentialsOf({ secret, headers }: Guard): { secret: string; headers: Record<string, string> } | null {
    const opened = secret === null ? null : this.cipher.decryptOrNull(secret);
    const own = headers === null ? '{}' : this.cipher.decryptOrNull(headers);
    return opened === null || own === null
      ? null
      : { secret: opened, headers: JSON.parse(own) as Record<string, string> };
  }

  private async reread(): Promise<void> {
    const read = ++this.reads;
    const order = { position: 'ASC', id: 'ASC' } as const;
    const guards = await findRows(this.database.manager, GuardEntity, {}, { order });
    // A read that started later has newer guards.
    if (read === this.reads) {
      this.guards = guards;
      const active = guards.filter(({ isActive }) => isActive);
      this.presence.isAny = active.length > 0;
      this.presence.changesOutput = active.some(({ stages, mode }) => stages.includes('output') && mode !== 'report');
    }
  }

  /** Re-encrypts all secrets with the current service secret, so that the previous one can be removed. */
  private renewSecrets(): Promise<void> {
    return this.database.write(async (manager) => {
      for (const { id, secret, headers, version } of await findRows(manager, GuardEntity, {})) {
        const renewed = { ...this.renewed('secret', secret), ...this.renewed('headers', headers) };
        if (Object.keys(renewed).length > 0) {
          // An administrator may have changed the row since the read; `version` then differs.
          await updateRows(manager, GuardEntity, renewed, { id, version });
        }
      }
    });
  }

  private renewed(name: 'secret' | 'headers', sealed: string | null): Partial<GuardEntity> {
    const renewed = sealed === null ? null : this.cipher.renew(sealed);
    return renewed === null ? {} : { [name]: renewed };
  }

  private sealed({ secret, headers }: Partial<Pick<GuardFields, 'secret' | 'headers'>>): Partial<GuardEntity> {
    return {
      ...(secret !== undefined && { secret: secret === null ? null : this.cipher.encrypt(secret) }),
      ...(headers && {
        headers: Object.keys(headers).length === 0 ? null : this.cipher.encrypt(JSON.stringify(headers)),
        headerNames: Object.keys(headers),
      }),
    };
  }
}

/** If two writers want the same name, the unique index decides. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error) ? new GuardExistsError() : error;
  }
}
