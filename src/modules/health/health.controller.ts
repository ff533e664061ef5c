import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { NotRateLimited } from '../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../common/security/access.decorator';
import { HealthDto, LivenessDto } from './health.dto';
import { NotReadyError } from './health.errors';
import { HealthService } from './health.service';

/** The same response at two addresses, because load balancers have different conventions. */
const READINESS = {
  summary: 'Check readiness',
  description: 'For load balancers: 503 takes the instance out of rotation.',
};

@ApiTags('Monitoring')
@Public()
@NotRateLimited()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @ApiOperation({ operationId: 'health.check', ...READINESS })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors(NotReadyError)
  check(): Promise<HealthDto> {
    return this.health.readiness();
  }

  @Get('ready')
  @ApiOperation({ operationId: 'health.ready', ...READINESS })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors(NotReadyError)
  ready(): Promise<HealthDto> {
    return this.health.readiness();
  }

  @Get('live')
  @ApiOperation({
    operationId: 'health.live',
    summary: 'Check liveness',
    description: 'For process supervisors: restart the process if it does not answer.',
  })
  @ApiOkResponse({ type: LivenessDto })
  live(): LivenessDto {
    return { status: 'ok' };
  }
}
