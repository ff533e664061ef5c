import { Body, Controller, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { InstanceNotFoundError } from '../operation.errors';
import { InstanceLogLevelDto, SetLogLevelDto } from './log-level.dto';
import { LogLevelsService } from './log-levels.service';

@ApiTags('Monitoring')
@AdminOnly()
@NoKeys()
@Enveloped('messages.log_level_set')
@Controller('admin/log_level')
export class LogLevelController {
  constructor(private readonly levels: LogLevelsService) {}

  @Put()
  @Audited('log_level.set', 'log_level', ['level', 'instance_id', 'minutes'])
  @ApiOperation({
    operationId: 'admin.logLevel.update',
    summary: 'Change the log level temporarily',
    description:
      'Takes effect within five seconds, and lasts across restarts. After `minutes`, `LOG_LEVEL` applies again. API ' +
      'keys cannot call this route.',
  })
  @EnvelopedListResponse(InstanceLogLevelDto)
  @ApiErrors(InstanceNotFoundError)
  set(@Body() body: SetLogLevelDto): Promise<InstanceLogLevelDto[]> {
    return this.levels.set(body);
  }
}
