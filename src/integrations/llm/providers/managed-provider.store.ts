import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { writeReplacingDefault } from '../../../database/statements/write-replacing-default';
import {
  type AnthropicFeature,
  fallbackPrefix,
  type ProviderDefinition,
  providerNameKey,
} from '../port/provider-definition';
import { ManagedProviderEntity } from './managed-provider.entity';
import { ProviderNameTakenError, ProviderNotFoundError } from './provider.errors';

/** The stored fields of a provider. The key is plain text here and encrypted in the database. */
export type ManagedProviderFields = Pick<
  ManagedProviderEntity,
  'name' | 'kind' | 'baseUrl' | 'apiKey' | 'model' | 'contextTokens' | 'anthropicFeatures' | 'isDefault' | 'isActive'
>;

/** Encrypts the keys of model providers with a key derived from the service's secret. */
@Injectable()
export class ProviderCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('model-providers'));
  }
}

/** The table of managed providers. Methods with a manager run within `Database.write`. */
@Injectable()
export class ManagedProviderStore {
  constructor(
    private readonly database: Database,
    private readonly cipher: ProviderCipher,
    private readonly clock: Clock,
  ) {}

  /** `Database.write` for changes of providers. */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return writeReplacingDefault(this.database, work);
  }

  /** All managed providers, by id. */
  all(): Promise<ManagedProviderEntity[]> {
    return findRows(this.database.manager, ManagedProviderEntity, {}, { order: { id: 'ASC' } });
  }

  /** @throws ProviderNotFoundError */
  async get(id: number): Promise<ManagedProviderEntity> {
    const found = await findRow(this.database.manager, ManagedProviderEntity, { id });
    return found ?? Promise.reject(new ProviderNotFoundError());
  }

  /** Like `get`, and locks the row until the transaction ends. */
  async getLocked(manager: EntityManager, id: number): Promise<ManagedProviderEntity> {
    const found = await findLocked(manager, ManagedProviderEntity, { id });
    return found ?? Promise.reject(new ProviderNotFoundError());
  }

  exists(name: string): Promise<boolean> {
    return rowExists(this.database.manager, ManagedProviderEntity, { nameKey: providerNameKey(name), name });
  }

  /**
   * Locks the providers that an agent is about to refer to until the transaction ends.
   *
   * @returns whether the agent's `provider` exists
   */
  async hold(manager: EntityManager, provider: string | null, fallbacks: readonly string[]): Promise<boolean> {
    const names = new Set([...(provider === null ? [] : [provider]), ...fallbacks.map(fallbackPrefix)]);
    const held = new Set<string>();
    // Always in the same order, so that two transactions never wait for each other.
    for (const name of [...names].filter((candidate) => candidate !== '').sort()) {
      const found = await findLocked(manager, ManagedProviderEntity, { nameKey: providerNameKey(name) });
      if (found?.name === name) {
        held.add(name);
      }
    }
    return provider === null || held.has(provider);
  }

  /** @throws ProviderNameTakenError */
  async insert(manager: EntityManager, fields: ManagedProviderFields): Promise<ManagedProviderEntity> {
    if (fields.isDefault) {
      await this.displaceDefault(manager);
    }
    const now = this.clock.now();
    const columns = { ...this.toColumns(fields), createdAt: now, updatedAt: now };
    return refusingDuplicates(insertEntity(manager, ManagedProviderEntity, columns as ManagedProviderEntity));
  }

  /** Changes a provider that was locked in the same transaction. @throws ProviderNameTakenError */
  async update(
    manager: EntityManager,
    present: ManagedProviderEntity,
    changes: Partial<ManagedProviderFields>,
  ): Promise<ManagedProviderEntity> {
    if (changes.isDefault && !present.isDefault) {
      await this.displaceDefault(manager);
    }
    const columns = { ...this.toColumns(changes), updatedAt: this.clock.now() };
    await refusingDuplicates(updateRows(manager, ManagedProviderEntity, columns, { id: present.id }));
    return { ...present, ...columns };
  }

  async remove(manager: EntityManager, { id }: ManagedProviderEntity): Promise<void> {
    await deleteRows(manager, ManagedProviderEntity, { id });
  }

  /** Encrypts all keys with the current service secret, so that the previous one can be removed. */
  renewKeys(): Promise<void> {
    return this.database.write(async (manager) => {
      for (const { id, apiKey } of await findRows(manager, ManagedProviderEntity, {})) {
        const renewed = apiKey === null ? null : this.cipher.renew(apiKey);
        if (apiKey !== null && renewed !== null) {
          // Unless an administrator has set another key since it was read.
          await updateRows(manager, ManagedProviderEntity, { apiKey: renewed }, { id, apiKey });
        }
      }
    });
  }

  /** The key of a provider; null if there is none, or another service secret has encrypted it. */
  keyOf({ apiKey }: ManagedProviderEntity): string | null {
    return apiKey !== null && this.cipher.canDecrypt(apiKey) ? this.cipher.decrypt(apiKey) : null;
  }

  /** A provider with an unreadable key is treated as inactive. */
  toDefinition(row: ManagedProviderEntity): ProviderDefinition {
    const { name, kind, baseUrl, model, contextTokens, isDefault, isActive } = row;
    const apiKey = this.keyOf(row);
    const isUsable = isActive && (row.apiKey === null || apiKey !== null);
    const anthropicFeatures = (row.anthropicFeatures?.split(',') ?? []) as AnthropicFeature[];
    return { name, kind, baseUrl, apiKey, model, contextTokens, anthropicFeatures, isDefault, isActive: isUsable };
  }

  private async displaceDefault(manager: EntityManager): Promise<void> {
    await updateRows(
      manager,
      ManagedProviderEntity,
      { isDefault: false, updatedAt: this.clock.now() },
      { isDefault: true },
    );
  }

  private toColumns(fields: Partial<ManagedProviderFields>): Partial<ManagedProviderEntity> {
    const { name, apiKey } = fields;
    return {
      ...fields,
      ...(name !== undefined && { nameKey: providerNameKey(name) }),
      ...(typeof apiKey === 'string' && { apiKey: this.cipher.encrypt(apiKey) }),
    };
  }
}

/** If two writers use the same name, the unique index decides. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error, 'name') ? new ProviderNameTakenError() : error;
  }
}
