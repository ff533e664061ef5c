import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { findRow, findRows } from '../../../database/statements/find';
import { insertEntity, insertRow } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { writeReplacingDefault } from '../../../database/statements/write-replacing-default';
import { agentChange } from '../catalogue/agent.audit';
import { AgentEntity } from '../catalogue/agent.entity';
import { AgentNameTakenError, AgentNotFoundError } from '../catalogue/agent.errors';
import { agentEvent } from '../catalogue/agent.events';
import { AgentCatalogue } from '../catalogue/agent.service';
import { AgentGroups } from '../catalogue/agent-groups';
import { AgentKnowledge } from '../catalogue/agent-knowledge';
import { agentNameKey } from '../catalogue/agent-name-key';
import { AgentProviders } from '../catalogue/agent-providers';
import { AgentTools } from '../catalogue/agent-tools';
import { addedTo, type AgentDefinition, type AgentReferences, behaviourOf, changesBehaviour } from './agent-definition';
import { AgentVersionEntity } from './agent-version.entity';

/**
 * Writes agents. Each change also writes the version history, ensures that there is only one default agent, publishes
 * the events, and notifies the other instances. Call all methods that take a manager within `write`.
 *
 * This folder changes agents. Start here, because every change goes through this class. `agent-definition.ts` lists the
 * fields of an agent, `agent-editor.service.ts` implements the routes, `agent-history.service.ts` restores versions.
 */
@Injectable()
export class AgentStore {
  constructor(
    private readonly database: Database,
    private readonly catalogue: AgentCatalogue,
    private readonly providers: AgentProviders,
    private readonly groups: AgentGroups,
    private readonly tools: AgentTools,
    private readonly knowledge: AgentKnowledge,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** `Database.write` for changes of agents. */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return writeReplacingDefault(this.database, work);
  }

  /**
   * Locks the agent for a change until the transaction ends.
   *
   * @throws AgentNotFoundError if there is none, or it is deleted
   */
  async getLocked(manager: EntityManager, id: number): Promise<AgentEntity> {
    const agent = await findLocked(manager, AgentEntity, { id });
    if (!agent) {
      throw new AgentNotFoundError();
    }
    return agent;
  }

  /** Locks all agents for changes, always in the same order. */
  allLocked(manager: EntityManager): Promise<AgentEntity[]> {
    return findRows(manager, AgentEntity, {}, { order: { id: 'ASC' }, lock: 'wait' });
  }

  /** Locks the agents with these names for changes, always in the same order. */
  lockNamed(manager: EntityManager, nameKeys: readonly string[]): Promise<AgentEntity[]> {
    return findRows(manager, AgentEntity, { nameKey: In([...nameKeys]) }, { order: { id: 'ASC' }, lock: 'wait' });
  }

  /**
   * Checks whether an agent of this definition could be written, for callers that write many agents in several
   * transactions.
   *
   * @throws ValidationFailedError for a provider, group, tool or collection that does not exist
   */
  async assertUsable(manager: EntityManager, references: AgentReferences): Promise<void> {
    await this.providers.hold(manager, references);
    await this.groups.hold(manager, references.groupIds ?? []);
    await this.tools.require(manager, references.tools ?? []);
    await this.knowledge.require(manager, references.knowledge ?? []);
  }

  /**
   * @param definition with an id, if the database must not choose one
   * @param actorId the administrator; null for agents that come with the service
   * @throws AgentNameTakenError, and ValidationFailedError for a provider, group, tool or collection that does not
   *   exist
   */
  async create(
    manager: EntityManager,
    definition: AgentDefinition & { id?: number },
    actorId: number | null,
  ): Promise<AgentEntity> {
    await this.assertUsable(manager, definition);
    const now = this.clock.now();
    if (definition.isDefault) {
      await this.displaceDefault(manager, actorId);
    }
    const row = {
      ...definition,
      nameKey: agentNameKey(definition.name),
      deletionMarker: 0,
      version: 1,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    const agent = await refusingDuplicates(insertEntity(manager, AgentEntity, row));
    await this.recordBehaviour(manager, agent, actorId);
    await this.events.publish(manager, agentEvent('agent.created', agent));
    await this.events.publish(manager, agentChange('create', agent.id, { before: null, after: agent }));
    this.catalogue.changed();
    return agent;
  }

  /**
   * Changes an agent that the same transaction has locked. Returns its new state, the next version.
   *
   * @param isRelease whether tools are only removed; the remaining ones are then not checked
   * @throws AgentNameTakenError, and ValidationFailedError for a provider, group, tool or collection that does not
   *   exist
   */
  async change(
    manager: EntityManager,
    agent: AgentEntity,
    changes: Partial<AgentDefinition>,
    actorId: number | null,
    isRelease = false,
  ): Promise<AgentEntity> {
    if (changes.provider !== undefined || changes.fallbackModels !== undefined) {
      await this.providers.hold(manager, { ...agent, ...changes });
    }
    if (changes.groupIds) {
      await this.groups.hold(manager, changes.groupIds);
    }
    if (changes.tools && !isRelease) {
      await this.tools.require(manager, changes.tools);
    }
    await this.knowledge.require(manager, addedTo(agent.knowledge, changes.knowledge));
    if (changes.isDefault && !agent.isDefault) {
      await this.displaceDefault(manager, actorId);
    }
    const columns = {
      ...changes,
      ...(changes.name !== undefined && { nameKey: agentNameKey(changes.name) }),
      version: agent.version + 1,
      updatedAt: this.clock.now(),
    };
    await refusingDuplicates(updateRows(manager, AgentEntity, columns, { id: agent.id }));
    const before = { ...agent };
    const changed = Object.assign(agent, columns);
    if (changesBehaviour(changes)) {
      await this.recordBehaviour(manager, changed, actorId);
    }
    await this.events.publish(manager, agentEvent('agent.updated', changed));
    await this.events.publish(manager, agentChange('update', agent.id, { before, after: changed }));
    this.catalogue.changed();
    return changed;
  }

  /** Deletes an agent that the same transaction has locked. Its chats stay readable, and its name can be reused. */
  async remove(manager: EntityManager, agent: AgentEntity): Promise<void> {
    const deletedAt = this.clock.now();
    const columns = { deletionMarker: agent.id, isDefault: false, deletedAt, updatedAt: deletedAt };
    await updateRows(manager, AgentEntity, columns, { id: agent.id });
    await this.events.publish(manager, agentEvent('agent.deleted', agent));
    await this.events.publish(manager, agentChange('delete', agent.id, { before: agent, after: null }));
    this.catalogue.changed();
  }

  private async displaceDefault(manager: EntityManager, actorId: number | null): Promise<void> {
    for (;;) {
      const found = await findRow(manager, AgentEntity, { isDefault: true }, { members: ['id'] });
      if (!found) {
        return;
      }
      // Another agent may have become the default while this waited for the lock, so check again.
      const present = await findLocked(manager, AgentEntity, { id: found.id });
      if (present?.isDefault) {
        await this.change(manager, present, { isDefault: false }, actorId);
        return;
      }
    }
  }

  private async recordBehaviour(manager: EntityManager, agent: AgentEntity, actorId: number | null): Promise<void> {
    await insertRow(manager, AgentVersionEntity, {
      ...behaviourOf(agent),
      agentId: agent.id,
      version: agent.version,
      createdBy: actorId,
      createdAt: agent.updatedAt,
    });
  }
}

/** The unique index decides between concurrent writers of the same name. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error, 'name') ? new AgentNameTakenError() : error;
  }
}
