import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from '../catalogue/agent.entity';
import { AgentVersionConflictError } from '../catalogue/agent.errors';
import { AgentKnowledge } from '../catalogue/agent-knowledge';
import { AgentProviders } from '../catalogue/agent-providers';
import { AgentUses } from '../catalogue/agent-uses';
import { AgentView } from '../catalogue/agent-view';
import { AgentStatsReportService } from '../stats/agent-stats-report.service';
import { AgentStore } from './agent.store';
import { AgentAdminDto, DeletedAgentDto, toAgentAdminDto } from './agent-admin.dto';
import { CreateAgentDto } from './agent-changes.dto';
import { UpdateAgentDto } from './agent-changes.dto';
import { DEFAULT_DEFINITION, definitionChanges, definitionOf, freeCopyName } from './agent-definition';
import { toDefinition } from './agent-input';

/** Creates, changes, deletes and copies single agents for administrators. */
@Injectable()
export class AgentEditorService {
  constructor(
    private readonly store: AgentStore,
    private readonly providers: AgentProviders,
    private readonly stats: AgentStatsReportService,
    private readonly shown: AgentView,
    private readonly uses: AgentUses,
    private readonly knowledge: AgentKnowledge,
  ) {}

  /** @throws AgentNameTakenError */
  async create(actorId: number, input: CreateAgentDto): Promise<AgentAdminDto> {
    await this.providers.assertKnown(input.provider);
    const definition = { ...DEFAULT_DEFINITION, ...toDefinition(input), name: input.name };
    return this.view(await this.store.write((manager) => this.store.create(manager, definition, actorId)));
  }

  /**
   * Changes the fields of the body. Equal values create no new version.
   *
   * @throws AgentNotFoundError
   * @throws AgentNameTakenError
   * @throws AgentVersionConflictError if the body's version is not the current one
   */
  async update(actorId: number, id: number, input: UpdateAgentDto): Promise<AgentAdminDto> {
    await this.providers.assertKnown(input.provider);
    const agent = await this.store.write(async (manager) => {
      const present = await this.store.getLocked(manager, id);
      if (input.version !== undefined && input.version !== present.version) {
        throw new AgentVersionConflictError();
      }
      const changes = definitionChanges(present, toDefinition(input));
      const isChanged = Object.keys(changes).length > 0;
      return isChanged ? this.store.change(manager, present, changes, actorId) : present;
    });
    return this.view(agent);
  }

  /** @throws AgentNotFoundError, AgentInUseError */
  async remove(id: number): Promise<DeletedAgentDto> {
    await this.store.write(async (manager) => {
      const agent = await this.store.getLocked(manager, id);
      await this.uses.assertUnused(manager, id);
      await this.store.remove(manager, agent);
    });
    return { id };
  }

  /**
   * Creates a draft that equals the agent in everything except its name.
   *
   * @throws AgentNotFoundError
   * @throws AgentNameTakenError
   */
  async duplicate(actorId: number, id: number, name: string | undefined): Promise<AgentAdminDto> {
    const copy = await this.store.write(async (manager) => {
      // The lock lets the second of two concurrent copies see the name of the first.
      const found = definitionOf(await this.store.getLocked(manager, id));
      const original = { ...found, knowledge: (await this.knowledge.describe(found)).map((one) => one.id) };
      const copyName = name ?? freeCopyName(original.name, await this.namesInUse(manager));
      return this.store.create(manager, { ...original, name: copyName, isDefault: false, status: 'draft' }, actorId);
    });
    return this.view(copy);
  }

  private async namesInUse(manager: EntityManager): Promise<Set<string>> {
    const agents = await findRows(manager, AgentEntity, {}, { members: ['id', 'nameKey'] });
    return new Set(agents.map(({ nameKey }) => nameKey));
  }

  private async view(agent: AgentEntity): Promise<AgentAdminDto> {
    const collections = await this.knowledge.describe(agent);
    return toAgentAdminDto(this.shown.of(agent), agent, await this.stats.totals(agent.id), collections);
  }
}
