import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { type Page, PageQueryDto, toPage } from '../../../common/envelope/page.dto';
import { Database } from '../../../database/database';
import { findPage, findRow } from '../../../database/statements/find';
import { AgentVersionNotFoundError } from '../catalogue/agent.errors';
import { AgentService } from '../catalogue/agent.service';
import { AgentKnowledge } from '../catalogue/agent-knowledge';
import { AgentView } from '../catalogue/agent-view';
import { AgentStatsReportService } from '../stats/agent-stats-report.service';
import { AgentStore } from './agent.store';
import { AgentAdminDto, toAgentAdminDto } from './agent-admin.dto';
import { behaviourOf } from './agent-definition';
import { AgentVersionDto, toAgentVersionDto } from './agent-version.dto';
import { AgentVersionEntity } from './agent-version.entity';

/** Lists earlier versions of agents, and restores them. */
@Injectable()
export class AgentHistoryService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentService,
    private readonly store: AgentStore,
    private readonly stats: AgentStatsReportService,
    private readonly shown: AgentView,
    private readonly knowledge: AgentKnowledge,
  ) {}

  /**
   * The versions that changed prompt, model or parameters, newest first.
   *
   * @throws AgentNotFoundError
   */
  async page(id: number, query: PageQueryDto): Promise<Page<AgentVersionDto>> {
    await this.agents.get(id);
    const { page, size } = query;
    const { items, total } = await findPage(
      this.database.manager,
      AgentVersionEntity,
      { agentId: id },
      { order: { version: 'DESC' }, offset: (page - 1) * size, limit: size },
    );
    const collectionsOf = await this.knowledge.describeAll(items);
    const shown = items.map((item) =>
      toAgentVersionDto(
        item,
        collectionsOf(item).map((one) => one.id),
      ),
    );
    return toPage(shown, total, query);
  }

  /**
   * Restores the behaviour of `version`, as a new version. The presentation of the agent stays unchanged.
   *
   * @throws AgentNotFoundError
   * @throws AgentVersionNotFoundError
   */
  async restore(actorId: number, id: number, version: number): Promise<AgentAdminDto> {
    const agent = await this.store.write(async (manager) => {
      const present = await this.store.getLocked(manager, id);
      // A version that changed only the presentation has no row: its behaviour is that of the row before it.
      const past = await findRow(
        manager,
        AgentVersionEntity,
        { agentId: id, version: LessThanOrEqual(version) },
        { order: { version: 'DESC' } },
      );
      if (!past || version > present.version) {
        throw new AgentVersionNotFoundError();
      }
      // Collections that were deleted since are left out.
      const knowledge = (await this.knowledge.describe(past)).map((one) => one.id);
      return this.store.change(manager, present, { ...behaviourOf(past), knowledge }, actorId);
    });
    const collections = await this.knowledge.describe(agent);
    return toAgentAdminDto(this.shown.of(agent), agent, await this.stats.totals(id), collections);
  }
}
