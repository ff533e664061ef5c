import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/security/access.decorator';
import { KeyScope } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { QuotaDto } from './quota/quota.dto';
import { UsageStatisticsService } from './usage-statistics.service';
import { TotalStatsWithCurrencyDto, UsageStatsDto } from './usage-stats.dto';

@ApiTags('Usage')
@Authenticated()
@KeyScope('usage:read')
@Controller('user')
export class UsageController {
  constructor(private readonly statistics: UsageStatisticsService) {}

  @Get('usage-stats')
  @ApiOperation({
    operationId: 'usage.stats',
    summary: 'Retrieve your usage',
    description: 'Returns the total, today, and each of the last 30 UTC days.',
  })
  @ApiOkResponse({ type: UsageStatsDto })
  usage(@CurrentContext() { principal }: RequestContext): Promise<UsageStatsDto> {
    return this.statistics.usage(principal.userId);
  }

  @Get('total-stats')
  @ApiOperation({
    operationId: 'usage.totals',
    summary: 'Retrieve your total usage',
    description: 'Includes deleted conversations.',
  })
  @ApiOkResponse({ type: TotalStatsWithCurrencyDto })
  totals(@CurrentContext() { principal }: RequestContext): Promise<TotalStatsWithCurrencyDto> {
    return this.statistics.totals(principal.userId);
  }

  @Get('quota')
  @ApiOperation({
    operationId: 'usage.quota',
    summary: 'Retrieve your quota',
    description: 'Returns what you can still use today. A limit is null if there is none.',
  })
  @ApiOkResponse({ type: QuotaDto })
  quota(@CurrentContext() { principal }: RequestContext): Promise<QuotaDto> {
    return this.statistics.quota(principal.userId, principal.tier);
  }
}
