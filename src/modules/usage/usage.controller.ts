import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/security/access.decorator';
import { CurrentUser } from '../../common/security/current-user.decorator';
import { Principal } from '../../common/security/principal';
import { QuotaDto } from './quota/quota.dto';
import { UsageStatisticsService } from './usage-statistics.service';
import { TotalStatsDto, UsageStatsDto } from './usage-stats.dto';

@ApiTags('Usage')
@Authenticated()
@Controller('user')
export class UsageController {
  constructor(private readonly statistics: UsageStatisticsService) {}

  @Get('usage-stats')
  @ApiOperation({ summary: 'What you have used', description: 'In total, today, and on each of the last 30 UTC days.' })
  @ApiOkResponse({ type: UsageStatsDto })
  usage(@CurrentUser() { userId }: Principal): Promise<UsageStatsDto> {
    return this.statistics.usage(userId);
  }

  @Get('total-stats')
  @ApiOperation({ summary: 'What you have used in total', description: 'Deleted conversations count too.' })
  @ApiOkResponse({ type: TotalStatsDto })
  totals(@CurrentUser() { userId }: Principal): Promise<TotalStatsDto> {
    return this.statistics.totals(userId);
  }

  @Get('quota')
  @ApiOperation({ summary: 'What you may still use today', description: 'Limits are null where there are none.' })
  @ApiOkResponse({ type: QuotaDto })
  quota(@CurrentUser() { userId, tier }: Principal): Promise<QuotaDto> {
    return this.statistics.quota(userId, tier);
  }
}
