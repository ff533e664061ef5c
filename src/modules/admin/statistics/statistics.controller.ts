import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { OverviewDto } from './overview.dto';
import { OverviewService } from './overview.service';
import { StatisticsService } from './statistics.service';
import { usageColumns } from './usage-csv';
import { UsageRowDto, UsageStatisticsQueryDto } from './usage-statistics.dto';

const CSV = csvContent(usageColumns('day'));

@ApiTags('Admin: statistics')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/stats')
export class StatisticsController {
  constructor(
    private readonly statistics: StatisticsService,
    private readonly overviews: OverviewService,
  ) {}

  @Get('overview')
  @ApiOperation({
    operationId: 'admin.stats.overview',
    summary: 'The installation at a glance',
    description:
      'Usage in total, this month and today, active users, accounts by kind, and the course of the last 30 UTC days with the time ' +
      'to the first token.',
  })
  @EnvelopedResponse(OverviewDto)
  overview(): Promise<OverviewDto> {
    return this.overviews.overview();
  }

  @Get('usage')
  @ApiOperation({
    operationId: 'admin.stats.usage',
    summary: 'Usage and costs by day, user, group, agent, model, provider or API key',
    description:
      'Days have no gaps. The filters can be combined, such as `group_by=day&agent_id=1&user_id=42`. By API key, only what was used with keys counts; it is counted by day and owner, so `group_by=api_key` and `api_key_id` go with `day`, `user`, `api_key` and `user_id`, and are refused with agents and models (`not_counted_by_key`). Users’ messages and new chats have no model. By group, who is in several now counts in each, who is in none under null. By provider, replies count, by day, user and model: `agent_id` and `api_key_id` are refused (`not_counted_by_provider`). `cost` is the sum of what has a price, `unpriced` counts the rest. The file of `format=csv` has all rows, with the columns `day`, `user_id`, `agent_id`, `model`, `provider` or `api_key_id` (with its owner, `user_id`), `name`, and the sums. `format=focus` is a file by FinOps FOCUS 1.2.',
  })
  @ApiErrors(new InvalidParameterError([{ field: 'agent_id', reason: 'not_counted_by_key' }]))
  @EnvelopedPageResponse(UsageRowDto, { otherContent: CSV })
  usage(@Query() query: UsageStatisticsQueryDto): Promise<Page<UsageRowDto> | StreamableFile> {
    return this.statistics.usage(query);
  }
}
