import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { defineAudit } from '../../../../common/audit/audit-definition';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { DomainEvents } from '../../../../common/events/domain-events';
import { DEMO_PROVIDER, ENVIRONMENT_PROVIDER } from '../../../../integrations/llm/port/provider-definition';
import { ManagedProviderStore } from '../../../../integrations/llm/providers/managed-provider.store';
import { ProviderUses } from '../../../../integrations/llm/providers/provider-uses';
import { AgentGroups, AgentUses } from '../../../agent/agent.api';
import { AnthropicSettingStore, type VersionedSetting } from '../../settings/anthropic-setting.store';
import { SettingVersionConflictError } from '../../settings/setting.errors';
import { isPattern, type ModelAlias } from './alias';
import type { AnthropicModelDto, AnthropicModelsDto, UpdateAnthropicModelsDto } from './alias.dto';

/** The name of the setting. */
const MODELS = 'models';

const NONE: ModelAlias[] = [];

/** The audit log's view of all names. */
export const anthropicModelsAudit = defineAudit<readonly ModelAlias[]>({
  subject: 'anthropic_models',
  state: (models) => ({ models: models.map((model) => ({ ...model })) }),
  personal: [],
});

/** Stores the names of models, and protects the agents and providers that they name. */
@Injectable()
export class ModelAliases {
  constructor(
    private readonly settings: AnthropicSettingStore,
    private readonly agents: AgentUses,
    private readonly providers: ManagedProviderStore,
    private readonly groups: AgentGroups,
    private readonly events: DomainEvents,
    uses: ProviderUses,
  ) {
    uses.add(async (manager, name) => (await this.locked(manager)).content.some(({ provider }) => provider === name));
    agents.add(async (manager, id) => (await this.locked(manager)).content.some(({ agent_id }) => agent_id === id));
  }

  async list(): Promise<readonly ModelAlias[]> {
    return (await this.settings.get(MODELS, NONE)).content;
  }

  async read(): Promise<AnthropicModelsDto> {
    const { version, content } = await this.settings.get(MODELS, NONE);
    return { models: content, version };
  }

  /** @throws SettingVersionConflictError, ValidationFailedError */
  replace({ models, version }: UpdateAnthropicModelsDto): Promise<AnthropicModelsDto> {
    const aliases = models.map(toAlias);
    return this.settings.write(async (manager) => {
      // In the order of deletions: first what the names refer to, then the names.
      await this.holdTargets(manager, aliases);
      const before = await this.locked(manager);
      if (version !== undefined && version !== before.version) {
        throw new SettingVersionConflictError();
      }
      const change = { id: null, userId: null, before: before.content, after: aliases };
      await this.events.publish(manager, anthropicModelsAudit.change('update', change));
      return { models: aliases, version: await this.settings.set(manager, MODELS, aliases, before) };
    });
  }

  private locked(manager: EntityManager): Promise<VersionedSetting<ModelAlias[]>> {
    return this.settings.lock(manager, MODELS, NONE);
  }

  /** @throws ValidationFailedError for an unknown agent, provider or group */
  private async holdTargets(manager: EntityManager, aliases: readonly ModelAlias[]): Promise<void> {
    const ids = aliases.flatMap(({ agent_id }) => agent_id ?? []);
    const agents = await this.agents.hold(manager, ids);
    for (const [index, { agent_id: agentId, provider, group_ids }] of aliases.entries()) {
      if (agentId !== null && !agents.includes(agentId)) {
        throw ValidationFailedError.of(`models.${index}.agent_id`, 'not_offered');
      }
      if (provider !== null && !BUILT_IN.includes(provider) && !(await this.providers.hold(manager, provider, []))) {
        throw ValidationFailedError.of(`models.${index}.provider`, 'not_offered');
      }
      await this.groups.hold(manager, group_ids, `models.${index}.group_ids`);
    }
  }
}

/** Providers that cannot be deleted. */
const BUILT_IN = [ENVIRONMENT_PROVIDER, DEMO_PROVIDER];

/** @throws ValidationFailedError if the fields do not fit together */
function toAlias(dto: AnthropicModelDto, index: number): ModelAlias {
  const { id, agent_id = null, provider = null, model = null } = dto;
  const field = (name: string): string => `models.${index}.${name}`;
  if (agent_id !== null && (provider !== null || model !== null)) {
    throw ValidationFailedError.of(field('agent_id'), 'conflicts');
  }
  if (agent_id === null && provider === null) {
    throw ValidationFailedError.of(field('provider'), 'required');
  }
  if (agent_id === null && model === null) {
    throw ValidationFailedError.of(field('model'), 'required');
  }
  if (model?.includes('*') && (!isPattern({ id }) || model.indexOf('*') !== model.lastIndexOf('*'))) {
    throw ValidationFailedError.of(field('model'), 'invalid_format');
  }
  return {
    id,
    display_name: dto.display_name ?? null,
    agent_id,
    provider,
    model,
    access_level: dto.access_level ?? 'free',
    group_ids: dto.group_ids ?? [],
    max_input_tokens: dto.max_input_tokens ?? null,
    max_tokens: dto.max_tokens ?? null,
  };
}
