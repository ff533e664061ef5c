import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { IdentityProviderExistsError, IdentityProviderNotFoundError } from '../identity.errors';
import { IdentityProviderEntity, type LastClaims } from './identity-provider.entity';

/** A read-only provider for other modules. */
export type IdentityProvider = Readonly<IdentityProviderEntity>;

/** The stored fields of a provider. The secret is plain text here and encrypted in the database. */
export type IdentityProviderFields = Omit<IdentityProviderEntity, 'id' | 'lastClaims' | 'createdAt' | 'updatedAt'>;

/** Encrypts providers' client secrets with a key derived from the service secret. */
@Injectable()
export class IdentityProviderCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('identity-providers'));
  }
}

/** Stores the identity providers. There are few, so each instance caches all of them for a few seconds. */
@Injectable()
export class IdentityProviderStore {
  private readonly cache: SharedCache<void, IdentityProviderEntity[]>;

  constructor(
    private readonly database: Database,
    private readonly cipher: IdentityProviderCipher,
    private readonly clock: Clock,
    redis: RedisConnection,
    serviceSecret: ServiceSecret,
  ) {
    this.cache = new SharedCache({ channel: 'identity-providers', load: () => this.read(), database, redis });
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => this.renewSecrets());
    }
  }

  /** All providers, ordered by id. */
  all(): Promise<readonly IdentityProviderEntity[]> {
    return this.cache.get();
  }

  async find(id: number): Promise<IdentityProviderEntity | null> {
    return (await this.all()).find((provider) => provider.id === id) ?? null;
  }

  /** @throws IdentityProviderNotFoundError */
  async get(id: number): Promise<IdentityProviderEntity> {
    return (await this.find(id)) ?? Promise.reject(new IdentityProviderNotFoundError());
  }

  /** A provider that users can sign in with. @throws IdentityProviderNotFoundError */
  async getActive(slug: string): Promise<IdentityProviderEntity> {
    const found = (await this.all()).find((provider) => provider.slug === slug && provider.isActive);
    return found ?? Promise.reject(new IdentityProviderNotFoundError());
  }

  /**
   * Within `Database.write`: reads the provider and locks it until the transaction ends.
   *
   * @throws IdentityProviderNotFoundError
   */
  async lock(manager: EntityManager, id: number): Promise<IdentityProviderEntity> {
    const found = await findLocked(manager, IdentityProviderEntity, { id });
    return found ?? Promise.reject(new IdentityProviderNotFoundError());
  }

  /** Within `Database.write`. @throws IdentityProviderExistsError */
  async insert(manager: EntityManager, fields: IdentityProviderFields): Promise<IdentityProviderEntity> {
    const now = this.clock.now();
    const row = { ...fields, ...this.sealed(fields), lastClaims: null, createdAt: now, updatedAt: now };
    const provider = await refusingDuplicates(insertEntity(manager, IdentityProviderEntity, row));
    this.cache.forgetOnCommit();
    return provider;
  }

  /** Within `Database.write`: changes a locked provider. @throws IdentityProviderExistsError */
  async update(
    manager: EntityManager,
    present: IdentityProviderEntity,
    changes: Partial<IdentityProviderFields>,
  ): Promise<IdentityProviderEntity> {
    const columns = { ...changes, ...this.sealed(changes), updatedAt: this.clock.now() };
    await refusingDuplicates(updateRows(manager, IdentityProviderEntity, columns, { id: present.id }));
    this.cache.forgetOnCommit();
    return { ...present, ...columns };
  }

  /** Within `Database.write`. */
  async remove(manager: EntityManager, { id }: IdentityProviderEntity): Promise<void> {
    await deleteRows(manager, IdentityProviderEntity, { id });
    this.cache.forgetOnCommit();
  }

  /** Stores a summary of the last sign-in's claims, for troubleshooting. */
  async noteClaims(id: number, lastClaims: LastClaims): Promise<void> {
    await this.database.write(async (manager) => {
      await updateRows(manager, IdentityProviderEntity, { lastClaims }, { id });
      this.cache.forgetOnCommit();
    });
  }

  /** The decrypted secret. Null if there is none, or if it was encrypted with another service secret. */
  secretOf({ clientSecret }: Pick<IdentityProviderEntity, 'clientSecret'>): string | null {
    return clientSecret === null ? null : this.cipher.decryptOrNull(clientSecret);
  }

  /** Encrypts all secrets with the current service secret, so that the previous one can be removed. */
  private renewSecrets(): Promise<void> {
    return this.database.write(async (manager) => {
      for (const { id, clientSecret } of await findRows(manager, IdentityProviderEntity, {})) {
        const renewed = clientSecret === null ? null : this.cipher.renew(clientSecret);
        if (clientSecret !== null && renewed !== null) {
          // The condition on the old value keeps a secret that an administrator has set since the read.
          await updateRows(manager, IdentityProviderEntity, { clientSecret: renewed }, { id, clientSecret });
        }
      }
      this.cache.forgetOnCommit();
    });
  }

  private sealed({ clientSecret }: Partial<IdentityProviderFields>): Partial<IdentityProviderFields> {
    return typeof clientSecret === 'string' ? { clientSecret: this.cipher.encrypt(clientSecret) } : {};
  }

  private read(): Promise<IdentityProviderEntity[]> {
    return findRows(this.database.manager, IdentityProviderEntity, {}, { order: { id: 'ASC' } });
  }
}

/** If two writers use the same slug or issuer, the unique index decides. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error) ? new IdentityProviderExistsError() : error;
  }
}
