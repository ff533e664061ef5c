import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from '../catalogue/agent.entity';
import { AgentGroups } from '../catalogue/agent-groups';
import { agentNameKey } from '../catalogue/agent-name-key';
import { AgentProviders } from '../catalogue/agent-providers';
import { AgentStore } from '../editing/agent.store';
import { type AgentDefinition, changesOf, DEFAULT_DEFINITION } from '../editing/agent-definition';
import { toDefinition } from '../editing/agent-input';
import {
  AgentDocumentDto,
  AgentDocumentEntryDto,
  IMPORT_RESULTS,
  ImportedAgentDto,
  type ImportMode,
  ImportReportDto,
  type ImportResult,
  toDocumentEntry,
} from './agent-document.dto';

/** Exports and imports agents as one document, for version control and for other installations. */
@Injectable()
export class AgentTransferService {
  constructor(
    private readonly database: Database,
    private readonly store: AgentStore,
    private readonly providers: AgentProviders,
    private readonly groups: AgentGroups,
  ) {}

  async export(): Promise<AgentDocumentDto> {
    const agents = await findRows(this.database.manager, AgentEntity, {});
    // Sorted by code unit, so that the order does not depend on a locale.
    agents.sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1));
    const groupNames = await this.groups.namesOf(agents.flatMap(({ groupIds }) => groupIds ?? []));
    return { agents: agents.map((agent) => toDocumentEntry(agent, groupNames)) };
  }

  /**
   * Imports the whole document or nothing of it. Agents are found by their names.
   *
   * @throws ValidationFailedError when a name or the default agent is given twice, or a provider or group is unknown.
   */
  async import(actorId: number, entries: AgentDocumentEntryDto[], mode: ImportMode): Promise<ImportReportDto> {
    await this.validate(entries);
    const groupIds = await this.groupIdsOf(entries);
    const agents = await this.store.write(async (manager) => {
      const present = new Map((await this.store.allLocked(manager)).map((agent) => [agent.nameKey, agent]));
      const named = new Set(entries.map(({ name }) => agentNameKey(name)));
      const results: ImportedAgentDto[] = [];
      if (mode === 'sync') {
        for (const agent of [...present.values()].filter(({ nameKey }) => !named.has(nameKey))) {
          await this.store.remove(manager, agent);
          results.push({ name: agent.name, result: 'removed' });
        }
      }
      for (const entry of defaultLast(entries)) {
        const agent = present.get(agentNameKey(entry.name));
        const defaults = mode === 'sync' || !agent ? DEFAULT_DEFINITION : {};
        const ids = groupIds.get(entry);
        const opened = ids === undefined ? {} : { groupIds: sameOrder(agent?.groupIds ?? [], ids) };
        const definition = { ...defaults, ...toDefinition(entry), ...opened };
        results.push({ name: entry.name, result: await this.apply(manager, agent, definition, actorId) });
      }
      return results;
    });
    const counts = IMPORT_RESULTS.map((result) => [result, agents.filter((agent) => agent.result === result).length]);
    return { ...(Object.fromEntries(counts) as Record<ImportResult, number>), agents };
  }

  /** The groups here that entries name. @throws ValidationFailedError for a name that none has */
  private async groupIdsOf(entries: AgentDocumentEntryDto[]): Promise<Map<AgentDocumentEntryDto, number[]>> {
    const ids = await this.groups.idsOf(entries.flatMap(({ groups = [] }) => groups));
    const named = new Map<AgentDocumentEntryDto, number[]>();
    for (const [index, entry] of entries.entries()) {
      const own = entry.groups?.map((name) => {
        const id = ids.get(name);
        if (id === undefined) {
          throw ValidationFailedError.of(`agents.${index}.groups`, 'not_offered');
        }
        return id;
      });
      if (own) {
        named.set(entry, [...new Set(own)]);
      }
    }
    return named;
  }

  private async apply(
    manager: EntityManager,
    agent: AgentEntity | undefined,
    definition: Partial<AgentDefinition>,
    actorId: number,
  ): Promise<ImportResult> {
    if (!agent) {
      await this.store.create(manager, definition as AgentDefinition, actorId);
      return 'created';
    }
    const changes = changesOf(agent, definition);
    if (Object.keys(changes).length === 0) {
      return 'unchanged';
    }
    await this.store.change(manager, agent, changes, actorId);
    return 'updated';
  }

  private async validate(entries: AgentDocumentEntryDto[]): Promise<void> {
    const names = new Set<string>();
    let hasDefault = false;
    for (const [index, entry] of entries.entries()) {
      const nameKey = agentNameKey(entry.name);
      if (names.has(nameKey)) {
        throw ValidationFailedError.of(`agents.${index}.name`, 'duplicate');
      }
      if (hasDefault && entry.is_default) {
        throw ValidationFailedError.of(`agents.${index}.is_default`, 'duplicate');
      }
      await this.providers.assertKnown(entry.provider, `agents.${index}.provider`);
      names.add(nameKey);
      hasDefault ||= entry.is_default ?? false;
    }
  }
}

/** The present list where it has the same groups, because its order is no change. */
function sameOrder(present: number[], wanted: number[]): number[] {
  return present.length === wanted.length && wanted.every((id) => present.includes(id)) ? present : wanted;
}

/** Puts the new default agent last. It displaces the former one, which must be imported before it. */
function defaultLast(entries: AgentDocumentEntryDto[]): AgentDocumentEntryDto[] {
  return [...entries].sort((one, other) => Number(one.is_default ?? false) - Number(other.is_default ?? false));
}
