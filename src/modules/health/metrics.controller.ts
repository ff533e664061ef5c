import { Controller, Get, Header, Headers } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { NotRateLimited } from '../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../common/security/access.decorator';
import { TokenInvalidError, UnauthorizedError } from '../../common/security/security.errors';
import { MetricsService } from './metrics.service';

@ApiTags('Monitoring')
@Public()
@NotRateLimited()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({
    operationId: 'metrics.read',
    summary: 'Retrieve Prometheus metrics',
    description: 'If `METRICS_TOKEN` is set, send it as `Authorization: Bearer <token>`.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string', example: '# HELP process_cpu_user_seconds_total …' } })
  @ApiErrors(UnauthorizedError, TokenInvalidError)
  read(@Headers('authorization') authorization?: string): Promise<string> {
    return this.metrics.read(authorization);
  }
}
