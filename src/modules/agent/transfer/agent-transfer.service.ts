import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Lifecycle } from '../../../common/lifecycle';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from '../catalogue/agent.entity';
import { AgentGroups } from '../catalogue/agent-groups';
import { AgentKnowledge } from '../catalogue/agent-knowledge';
import { agentNameKey } from '../catalogue/agent-name-key';
import { AgentProviders } from '../catalogue/agent-providers';
import { AgentStore } from '../editing/agent.store';
import {
  type AgentDefinition,
  type AgentReferences,
  changedReferences,
  DEFAULT_DEFINITION,
  definitionChanges,
} from '../editing/agent-definition';
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

/** Agents written or checked in one transaction. SQLite has one writer, for which all other requests wait. */
const BATCH = 12;

/** The new state of an agent; absent fields keep the value of an existing agent. */
interface PlannedAgent {
  name: string;
  nameKey: string;
  definition: Partial<AgentDefinition>;
  /** Ids of the groups in the document; absent: it lists none. */
  groupIds: number[] | undefined;
  /** Ids of the collections in the document; absent: it lists none. */
  knowledge: number[] | undefined;
}

/** Exports and imports agents as one document, for version control and for other installations. */
@Injectable()
export class AgentTransferService {
  constructor(
    private readonly database: Database,
    private readonly store: AgentStore,
    private readonly providers: AgentProviders,
    private readonly groups: AgentGroups,
    private readonly knowledge: AgentKnowledge,
    private readonly lifecycle: Lifecycle,
  ) {}

  async export(): Promise<AgentDocumentDto> {
    const agents = await findRows(this.database.manager, AgentEntity, {});
    // Sorted by code unit, so that the order does not depend on a locale.
    agents.sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1));
    const groupNames = await this.groups.namesOf(agents.flatMap(({ groupIds }) => groupIds ?? []));
    const collectionsOf = await this.knowledge.describeAll(agents);
    return { agents: agents.map((agent) => toDocumentEntry(agent, groupNames, collectionsOf(agent))) };
  }

  /**
   * Imports a document. Invalid documents are refused before anything is written. Then agents are written in batches,
   * so that other requests can run. An interrupted import is incomplete, and repeating it does the rest.
   *
   * @throws ValidationFailedError if a name or the default agent occurs twice, a provider or group is unknown, or a
   *   collection's name is unknown or not unique
   * @throws ServiceUnavailableError while the process shuts down
   */
  async import(actorId: number, entries: AgentDocumentEntryDto[], mode: ImportMode): Promise<ImportReportDto> {
    this.lifecycle.assertAcceptsWork();
    await this.validate(entries);
    const planned = await this.plan(entries, mode);
    await this.assertUsable(planned);
    const written: ImportedAgentDto[] = [];
    for (const batch of batchesOf(planned)) {
      written.push(...(await this.store.write((manager) => this.writeBatch(manager, batch, actorId))));
      await nextTurn();
    }
    const removed = mode === 'sync' ? await this.removeOthers(planned) : [];
    const agents = [...removed, ...written];
    const counts = IMPORT_RESULTS.map((result) => [result, agents.filter((agent) => agent.result === result).length]);
    return { ...(Object.fromEntries(counts) as Record<ImportResult, number>), agents };
  }

  private async plan(entries: AgentDocumentEntryDto[], mode: ImportMode): Promise<PlannedAgent[]> {
    const groupIds = await this.groupIdsOf(entries);
    const knowledge = await this.collectionsOf(entries);
    const planned: PlannedAgent[] = [];
    for (const batch of batchesOf(defaultLast(entries))) {
      for (const entry of batch) {
        const defaults = mode === 'sync' ? DEFAULT_DEFINITION : {};
        const definition = { ...defaults, ...toDefinition({ ...entry, knowledge: undefined }) };
        const { name } = entry;
        planned.push({
          name,
          nameKey: agentNameKey(name),
          definition,
          groupIds: groupIds.get(entry),
          knowledge: knowledge.get(entry),
        });
      }
      await nextTurn();
    }
    return planned;
  }

  /** Agents of one document usually have the same few references, so each reference is checked once. */
  private async assertUsable(planned: readonly PlannedAgent[]): Promise<void> {
    const references = new Map<string, AgentReferences>();
    for (const batch of batchesOf(planned)) {
      const nameKey = In(batch.map((agent) => agent.nameKey));
      const found = await findRows(this.database.manager, AgentEntity, { nameKey });
      const present = new Map(found.map((agent) => [agent.nameKey, agent]));
      for (const agent of batch) {
        const named = referencesOf(agent, present.get(agent.nameKey));
        references.set(JSON.stringify(named), named);
      }
      await nextTurn();
    }
    for (const batch of batchesOf([...references.values()])) {
      await this.store.write(async (manager) => {
        for (const named of batch) await this.store.assertUsable(manager, named);
      });
      await nextTurn();
    }
  }

  private async writeBatch(
    manager: EntityManager,
    batch: readonly PlannedAgent[],
    actorId: number,
  ): Promise<ImportedAgentDto[]> {
    const found = await this.store.lockNamed(
      manager,
      batch.map(({ nameKey }) => nameKey),
    );
    const present = new Map(found.map((agent) => [agent.nameKey, agent]));
    const results: ImportedAgentDto[] = [];
    for (const planned of batch) {
      const agent = present.get(planned.nameKey);
      const result = await this.apply(manager, agent, definitionFor(planned, agent), actorId);
      results.push({ name: planned.name, result });
    }
    return results;
  }

  private async removeOthers(planned: readonly PlannedAgent[]): Promise<ImportedAgentDto[]> {
    const named = new Set(planned.map(({ nameKey }) => nameKey));
    const present = await findRows(this.database.manager, AgentEntity, {}, { members: ['nameKey'] });
    const removed: ImportedAgentDto[] = [];
    for (const batch of batchesOf(present.filter(({ nameKey }) => !named.has(nameKey)))) {
      const nameKeys = batch.map(({ nameKey }) => nameKey);
      const agents = await this.store.write(async (manager) => {
        const locked = await this.store.lockNamed(manager, nameKeys);
        for (const agent of locked) await this.store.remove(manager, agent);
        return locked;
      });
      removed.push(...agents.map(({ name }) => ({ name, result: 'removed' as const })));
      await nextTurn();
    }
    return removed;
  }

  /** The groups here that the entries name. @throws ValidationFailedError for an unknown name */
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

  /** The collections here that the entries name. @throws ValidationFailedError for no collection, or several */
  private async collectionsOf(entries: AgentDocumentEntryDto[]): Promise<Map<AgentDocumentEntryDto, number[]>> {
    const idsOf = await this.knowledge.idsOf(entries.flatMap(({ knowledge = [] }) => knowledge));
    const named = new Map<AgentDocumentEntryDto, number[]>();
    for (const [index, { knowledge }] of entries.entries()) {
      const ids = knowledge?.map(idsOf);
      if (ids?.some((found) => found.length !== 1)) {
        throw ValidationFailedError.of(`agents.${index}.knowledge`, 'not_offered');
      }
      if (ids) {
        named.set(entries[index] as AgentDocumentEntryDto, ids.flat());
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
    const changes = definitionChanges(agent, definition);
    if (Object.keys(changes).length === 0) {
      return 'unchanged';
    }
    await this.store.change(manager, agent, changes, actorId);
    return 'updated';
  }

  private async validate(entries: AgentDocumentEntryDto[]): Promise<void> {
    const names = new Set<string>();
    const providers = new Set<string>();
    let hasDefault = false;
    for (const [index, entry] of entries.entries()) {
      const nameKey = agentNameKey(entry.name);
      if (names.has(nameKey)) {
        throw ValidationFailedError.of(`agents.${index}.name`, 'duplicate');
      }
      if (hasDefault && entry.is_default) {
        throw ValidationFailedError.of(`agents.${index}.is_default`, 'duplicate');
      }
      if (entry.provider && !providers.has(entry.provider)) {
        await this.providers.assertKnown(entry.provider, `agents.${index}.provider`);
        providers.add(entry.provider);
      }
      names.add(nameKey);
      hasDefault ||= entry.is_default ?? false;
    }
  }
}

function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) {
    yield items.slice(start, start + BATCH);
  }
}

function definitionFor(
  { definition, groupIds, knowledge }: PlannedAgent,
  agent?: AgentEntity,
): Partial<AgentDefinition> {
  const defaults = agent ? {} : DEFAULT_DEFINITION;
  const opened = groupIds === undefined ? {} : { groupIds: sameOrder(agent?.groupIds ?? [], groupIds) };
  const searched = knowledge === undefined ? {} : { knowledge: sameOrder(agent?.knowledge ?? [], knowledge) };
  return { ...defaults, ...definition, ...opened, ...searched };
}

function referencesOf(planned: PlannedAgent, agent?: AgentEntity): AgentReferences {
  const definition = definitionFor(planned, agent);
  return agent
    ? changedReferences(agent, definitionChanges(agent, definition))
    : changedReferences({ ...DEFAULT_DEFINITION, name: planned.name }, definition);
}

/** The current list if it has the same ids, because their order does not matter. */
function sameOrder(present: number[], wanted: number[]): number[] {
  return present.length === wanted.length && wanted.every((id) => present.includes(id)) ? present : wanted;
}

/** Puts the new default agent last. It replaces the former one, which must be imported before it. */
function defaultLast(entries: AgentDocumentEntryDto[]): AgentDocumentEntryDto[] {
  return [...entries].sort((one, other) => Number(one.is_default ?? false) - Number(other.is_default ?? false));
}
