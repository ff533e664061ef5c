import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditState } from '../../../common/audit/audit-state';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { EmbeddingModels } from '../../../integrations/llm/embedding-models';
import { addressOf } from '../../../integrations/llm/port/provider-definition';
import type { ManagedProviderEntity } from '../../../integrations/llm/providers/managed-provider.entity';
import {
  type ManagedProviderFields,
  ManagedProviderStore,
} from '../../../integrations/llm/providers/managed-provider.store';
import { ProviderInUseError, ProviderReadOnlyError } from '../../../integrations/llm/providers/provider.errors';
import { ProviderDirectory } from '../../../integrations/llm/providers/provider-directory';
import { ProviderTargets } from '../../../integrations/llm/providers/provider-targets';
import { ProviderUses } from '../../../integrations/llm/providers/provider-uses';
import { AgentService } from '../../agent/agent.api';
import { providerAudit } from '../admin.audit';
import { lastFour } from './provider.dto';
import { CreateProviderDto, UpdateProviderDto } from './provider-fields.dto';
import type { ProviderReference } from './provider-reference.pipe';

/**
 * Changes model providers. A change and its log entry are one transaction. Afterwards all instances load the change.
 *
 * Start here for changes. `providers.service.ts` lists and tries providers. The provider of the environment and the
 * demo are not in the database: they can be read and tried but not changed.
 */
@Injectable()
export class ProviderAdministrationService {
  constructor(
    private readonly store: ManagedProviderStore,
    private readonly directory: ProviderDirectory,
    private readonly agents: AgentService,
    private readonly embeddings: EmbeddingModels,
    private readonly events: DomainEvents,
    private readonly targets: ProviderTargets,
    private readonly uses: ProviderUses,
  ) {}

  /** @throws ProviderNameTakenError, ValidationFailedError */
  async create(body: CreateProviderDto): Promise<ManagedProviderEntity> {
    const fields = { ...DEFAULTS, ...toFields(body), name: body.name, kind: body.kind };
    assertComplete(fields);
    await this.assertAllowed(addressOf(fields));
    const created = await this.store.write(async (manager) => {
      const row = await this.store.insert(manager, fields);
      await this.publish(manager, 'create', row.id, null, this.stateOf(row));
      return row;
    });
    await this.directory.changed();
    return created;
  }

  /**
   * Changes the fields of the body.
   *
   * @throws ProviderNotFoundError, ProviderReadOnlyError, ProviderNameTakenError
   * @throws ValidationFailedError on `api_key` if the host or protocol changes without a new key
   * @throws ProviderInUseError for a new name while agents or embeddings use the old one, and for a new kind while
   * embeddings use it
   */
  async update(reference: ProviderReference, body: UpdateProviderDto): Promise<ManagedProviderEntity> {
    assertManaged(reference);
    const wanted = toFields(body);
    if (Object.keys(wanted).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    const known = await this.store.get(reference);
    const address = addressOf({ ...known, ...wanted });
    if (address !== addressOf(known)) {
      await this.assertAllowed(address);
    }
    const changed = await this.store.write(async (manager) => {
      const present = await this.store.getLocked(manager, reference);
      // A provider that is switched off cannot serve requests, so it cannot stay the default.
      const changes = { ...wanted, ...(wanted.isActive === false && !wanted.isDefault && { isDefault: false }) };
      assertComplete({ ...present, ...changes });
      assertKeyStays(present, changes);
      if (changes.name !== undefined && changes.name !== present.name) {
        await this.assertUnused(manager, present.name);
      }
      if (changes.kind !== undefined && changes.kind !== present.kind) {
        await this.assertEmbedsNothing(manager, present.name);
      }
      const before = this.stateOf(present);
      const after = await this.store.update(manager, present, changes);
      const keyChange = changes.apiKey === undefined ? {} : { api_key: 'changed' };
      await this.publish(manager, 'update', present.id, before, {
        ...this.stateOf(after),
        ...keyChange,
      });
      return after;
    });
    await this.directory.changed();
    return changed;
  }

  /** @throws ProviderNotFoundError, ProviderReadOnlyError, ProviderInUseError */
  async remove(reference: ProviderReference): Promise<{ id: number }> {
    assertManaged(reference);
    const { id } = await this.store.write(async (manager) => {
      const present = await this.store.getLocked(manager, reference);
      await this.assertUnused(manager, present.name);
      await this.store.remove(manager, present);
      await this.publish(manager, 'delete', present.id, this.stateOf(present), null);
      return present;
    });
    await this.directory.changed();
    return { id };
  }

  /**
   * Resolves the name, so it must not run within a transaction. Requests check the address again.
   *
   * @throws ValidationFailedError
   */
  private async assertAllowed(address: string | null): Promise<void> {
    if (address !== null && !(await this.targets.maySave(new URL(address)))) {
      throw ValidationFailedError.of('base_url', 'not_allowed');
    }
  }

  private async assertUnused(manager: EntityManager, name: string): Promise<void> {
    const users = await this.agents.usersOfProvider(manager, name);
    const isUsed = (await this.embeddings.isUsed(manager, name)) || (await this.uses.isUsed(manager, name));
    if (users.length > 0 || isUsed) {
      throw new ProviderInUseError(users.map((agent) => ({ id: agent.id, name: agent.name })));
    }
  }

  /** Other kinds may have no embedding models. */
  private async assertEmbedsNothing(manager: EntityManager, name: string): Promise<void> {
    if (await this.embeddings.isUsed(manager, name)) {
      throw new ProviderInUseError([]);
    }
  }

  private publish(
    manager: EntityManager,
    verb: string,
    id: number,
    before: AuditState | null,
    after: AuditState | null,
  ): Promise<void> {
    return this.events.publish(manager, providerAudit.change(verb, { id, userId: null, before, after }));
  }

  /** The log shows only the end of the key, which is enough to recognize it. */
  private stateOf(row: ManagedProviderEntity): AuditState {
    return {
      name: row.name,
      kind: row.kind,
      base_url: row.baseUrl,
      key_ends_with: lastFour(this.store.keyOf(row)),
      model: row.model,
      context_tokens: row.contextTokens,
      anthropic_features: row.anthropicFeatures,
      is_default: row.isDefault,
      is_active: row.isActive,
    };
  }
}

const DEFAULTS: Omit<ManagedProviderFields, 'name' | 'kind'> = {
  baseUrl: null,
  apiKey: null,
  model: null,
  contextTokens: null,
  anthropicFeatures: null,
  isDefault: false,
  isActive: true,
};

/** The entity fields set by the body. Absent fields stay absent. */
function toFields(body: UpdateProviderDto): Partial<ManagedProviderFields> {
  const fields: Partial<ManagedProviderFields> = {
    name: body.name,
    kind: body.kind,
    baseUrl: body.base_url,
    apiKey: body.api_key,
    model: body.model,
    contextTokens: body.context_tokens,
    anthropicFeatures: toColumn(body.anthropic_features),
    isDefault: body.is_default,
    isActive: body.is_active,
  };
  return Object.fromEntries(Object.entries<unknown>(fields).filter(([, value]) => value !== undefined));
}

/** Undefined stays undefined: the field does not change. */
function toColumn(features: readonly string[] | null | undefined): string | null | undefined {
  return features?.length === 0 ? null : features && features.join(',');
}

/** @throws ValidationFailedError when these fields are not enough to call the provider */
function assertComplete({ kind, baseUrl, apiKey, isDefault, isActive }: ManagedProviderFields): void {
  if (kind === 'openai-compatible' && baseUrl === null) {
    throw ValidationFailedError.of('base_url', 'required');
  }
  if (kind === 'anthropic' && apiKey === null) {
    throw ValidationFailedError.of('api_key', 'required');
  }
  if (isDefault && !isActive) {
    throw ValidationFailedError.of('is_default', 'conflicts');
  }
}

/**
 * A stored key is never sent to a new host. Otherwise anyone who may change the address could have it sent to their own
 * server. This includes keys that cannot be decrypted now, because a former secret may make them readable again.
 *
 * @throws ValidationFailedError
 */
function assertKeyStays(present: ManagedProviderEntity, changes: Partial<ManagedProviderFields>): void {
  const wanted = { ...present, ...changes };
  const isMoved = wanted.kind !== present.kind || originOf(addressOf(wanted)) !== originOf(addressOf(present));
  if (isMoved && changes.apiKey === undefined && present.apiKey !== null) {
    throw ValidationFailedError.of('api_key', 'required');
  }
}

function originOf(address: string | null): string | null {
  return address === null ? null : new URL(address).origin;
}

/** @throws ProviderReadOnlyError */
function assertManaged(reference: ProviderReference): asserts reference is number {
  if (typeof reference !== 'number') {
    throw new ProviderReadOnlyError();
  }
}
