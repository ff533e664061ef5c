import { Injectable, StreamableFile } from '@nestjs/common';
import { CSV_BATCH, csvList } from '../../../common/csv/csv';
import { type Page, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { isAdministrator, type Principal } from '../../../common/security/principal';
import { textMatcher } from '../../../common/text/text-pattern';
import { AgentDto } from '../catalogue/agent.dto';
import { type Agent, AgentEntity } from '../catalogue/agent.entity';
import { AgentNotFoundError } from '../catalogue/agent.errors';
import { AgentCatalogue, AgentService, isShownTo } from '../catalogue/agent.service';
import { AgentKnowledge } from '../catalogue/agent-knowledge';
import { AgentView } from '../catalogue/agent-view';
import { AgentAdminDto, toAgentAdminDto } from '../editing/agent-admin.dto';
import { AgentStatsReportService } from '../stats/agent-stats-report.service';
import { AGENT_ADMIN_FIELDS, AGENT_FIELDS } from './agent-file';
import { AgentListQueryDto, type AgentSortField } from './agent-list-query.dto';

/** Finds agents. Users see the active agents; administrators see all agents, with more fields. */
@Injectable()
export class AgentDirectoryService {
  constructor(
    private readonly catalogue: AgentCatalogue,
    private readonly agents: AgentService,
    private readonly stats: AgentStatsReportService,
    private readonly shown: AgentView,
    private readonly knowledge: AgentKnowledge,
  ) {}

  /** One page, or all matching agents as a file. */
  async find(principal: Principal, query: AgentListQueryDto): Promise<Page<AgentDto | AgentAdminDto> | StreamableFile> {
    const isAdmin = isAdministrator(principal, 'agents:write');
    const matches = matching(query);
    const isFile = query.format === 'csv';
    const agents = [...(await this.catalogue.all()).values()]
      .filter((agent) => (isAdmin || (agent.status === 'active' && isShownTo(agent, principal))) && matches(agent))
      .sort(comparison(isFile ? 'sort_order' : query.sort));
    if (isFile) {
      return this.file(agents, isAdmin);
    }
    const items = agents.slice((query.page - 1) * query.size, query.page * query.size);
    return toPage(
      isAdmin ? await this.adminViews(items) : items.map((agent) => this.shown.of(agent)),
      agents.length,
      query,
    );
  }

  /** @throws AgentNotFoundError if it is unknown or deleted, and for users if it is a draft, or for other groups */
  async get(principal: Principal, id: number): Promise<AgentDto | AgentAdminDto> {
    const agent = await this.agents.get(id);
    if (isAdministrator(principal, 'agents:write')) {
      return (await this.adminViews([agent]))[0] as AgentAdminDto;
    }
    if (agent.status === 'draft' || !isShownTo(agent, principal)) {
      throw new AgentNotFoundError();
    }
    return this.shown.of(agent);
  }

  private file(agents: AgentEntity[], isAdmin: boolean): Promise<StreamableFile> {
    let next = 0;
    const batch = (): AgentEntity[] => agents.slice(next, (next += CSV_BATCH));
    return isAdmin
      ? csvList('agents', AGENT_ADMIN_FIELDS, () => this.adminViews(batch()))
      : csvList('agents', AGENT_FIELDS, () => Promise.resolve(batch().map((agent) => this.shown.of(agent))));
  }

  private async adminViews(agents: readonly Agent[]): Promise<AgentAdminDto[]> {
    const totals = await this.stats.totalsOf(agents.map(({ id }) => id));
    const collectionsOf = await this.knowledge.describeAll(agents);
    return agents.map((agent) => toAgentAdminDto(this.shown.of(agent), agent, totals(agent.id), collectionsOf(agent)));
  }
}

function matching({ q, category, access_level, status }: AgentListQueryDto): (agent: AgentEntity) => boolean {
  const hasText = textMatcher(q ?? '');
  return (agent) =>
    hasText(`${agent.name}\n${agent.description}`) &&
    (category === undefined || agent.category === category) &&
    (access_level === undefined || agent.accessLevel === access_level) &&
    (status === undefined || agent.status === status);
}

function comparison(sort: AgentListQueryDto['sort']): (one: AgentEntity, other: AgentEntity) => number {
  const { by, direction } = orderOf(sort);
  const sign = direction === 'ASC' ? 1 : -1;
  return (one, other) => sign * (ORDERS[by](one, other) || one.id - other.id);
}

const ORDERS: Record<AgentSortField, (one: AgentEntity, other: AgentEntity) => number> = {
  sort_order: (one, other) => one.sortOrder - other.sortOrder,
  name: (one, other) => one.name.localeCompare(other.name, 'en'),
  created_at: (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
  updated_at: (one, other) => one.updatedAt.getTime() - other.updatedAt.getTime(),
  id: (one, other) => one.id - other.id,
};
