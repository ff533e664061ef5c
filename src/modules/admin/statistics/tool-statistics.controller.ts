import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../common/clock';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { ToolStatistics } from '../../generation/generation.api';
import { reportPeriod } from './period';
import { ToolStatisticsDto } from './tool-statistics.dto';
import { UsagePeriodQueryDto } from './usage-statistics.dto';

@ApiTags('Tools and MCP')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/tools')
export class ToolStatisticsController {
  constructor(
    private readonly statistics: ToolStatistics,
    private readonly clock: Clock,
  ) {}

  @Get('statistics')
  @ApiOperation({
    operationId: 'admin.tools.statistics',
    summary: 'Retrieve tool statistics',
    description:
      'Returns calls, failures and durations by tool for the given days. Tools that no longer exist are ' + 'included.',
  })
  @EnvelopedResponse(ToolStatisticsDto)
  async read(@Query() query: UsagePeriodQueryDto): Promise<ToolStatisticsDto> {
    const period = reportPeriod(query, this.clock.now());
    const tools = await this.statistics.of(period);
    return {
      ...period,
      tools: tools.map(({ averageMs, longestMs, ...counts }) => ({
        ...counts,
        average_ms: averageMs,
        longest_ms: longestMs,
      })),
    };
  }
}
