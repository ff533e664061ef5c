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

@ApiTags('Usage')
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
    summary: 'Retrieve the usage overview',
    description:
      'Returns total, monthly and daily usage, active users, accounts by type, and the last 30 UTC days with ' +
      'the time to the first token.',
  })
  @EnvelopedResponse(OverviewDto)
  overview(): Promise<OverviewDto> {
    return this.overviews.overview();
  }

  @Get('usage')
  @ApiOperation({
    operationId: 'admin.stats.usage',
    summary: 'Retrieve usage and costs',
    description:
      'Groups usage by day, user, group, agent, model, provider or API key; filters can be combined, such as ' +
      '`group_by=day&agent_id=1&user_id=42`. API keys cannot be combined with agents or models ' +
      '(`not_counted_by_key`), nor providers with agents or API keys (`not_counted_by_provider`). `cost` is ' +
      'the sum of what has a price, `unpriced` counts the rest, and users in several groups count in each.',
  })
  @ApiErrors(new InvalidParameterError([{ field: 'agent_id', reason: 'not_counted_by_key' }]))
  @EnvelopedPageResponse(UsageRowDto, { otherContent: CSV })
  usage(@Query() query: UsageStatisticsQueryDto): Promise<Page<UsageRowDto> | StreamableFile> {
    return this.statistics.usage(query);
  }
}
