import { Injectable, StreamableFile } from '@nestjs/common';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { inTimeRange } from '../../../database/statements/time-range';
import { AgentService } from '../../agent/agent.api';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import { PriceBook } from '../../pricing/pricing.api';
import { CostLedger, type CostRow, type CostRowFilter, CostRowsQuery } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { COST_FIELDS, type CostDto, type ListCostsQueryDto, toCostDto } from './costs.dto';

/** Shows the rows of the cost ledger, so that every sum can be verified. */
@Injectable()
export class CostsService {
  constructor(
    private readonly rows: CostRowsQuery,
    private readonly ledger: CostLedger,
    private readonly prices: PriceBook,
    private readonly users: UserDirectoryQuery,
    private readonly keys: ApiKeyQuery,
    private readonly agents: AgentService,
  ) {}

  /** Newest rows first: one page, or all matching ones as a file. @throws InvalidParameterError when from > to */
  async find(query: ListCostsQueryDto): Promise<Page<CostDto> | StreamableFile> {
    const filter = filterOf(query);
    if (query.format === 'csv') {
      return csvList('costs', COST_FIELDS, async (last?: CostDto) =>
        this.describe(await this.rows.after(filter, last?.id)),
      );
    }
    const { items, total } = await this.rows.page(filter, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  private async describe(rows: readonly CostRow[]): Promise<CostDto[]> {
    const [usernames, keys, agents, prices] = await Promise.all([
      this.users.usernames(idsOf(rows, 'userId')),
      this.keys.find(idsOf(rows, 'apiKeyId')),
      this.agents.namesOf(idsOf(rows, 'agentId')),
      this.prices.describe(idsOf(rows, 'priceId')),
    ]);
    const { currency } = this.ledger;
    return rows.map((row) => {
      const { userId, apiKeyId, agentId, priceId } = row;
      return toCostDto(row, {
        user: userId === 0 ? null : { id: userId, username: usernames.get(userId) ?? null },
        api_key: apiKeyId === null ? null : { id: apiKeyId, name: keys.get(apiKeyId)?.name ?? null },
        agent: agentId === 0 ? null : { id: agentId, name: agents.get(agentId) ?? null },
        price: priceId === null ? null : (prices.get(priceId) ?? null),
        currency,
      });
    });
  }
}

function filterOf(query: ListCostsQueryDto): CostRowFilter {
  const createdAt = inTimeRange(query);
  const { user_id, agent_id, api_key_id, provider, model, kind, chat_id } = query;
  const where = {
    ...(createdAt && { createdAt }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(agent_id !== undefined && { agentId: agent_id }),
    ...(api_key_id !== undefined && { apiKeyId: api_key_id }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind }),
    ...(chat_id !== undefined && { chatId: chat_id }),
  };
  return { where, groupId: query.group_id };
}

/** The distinct ids in a column. 0 and null mean none. */
function idsOf(rows: readonly CostRow[], column: 'userId' | 'apiKeyId' | 'agentId' | 'priceId'): number[] {
  return [...new Set(rows.map((row) => row[column] ?? 0))].filter((id) => id !== 0);
}
