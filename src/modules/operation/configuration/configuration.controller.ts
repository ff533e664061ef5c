import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { VariableDto } from './configuration.dto';
import { ConfigurationService } from './configuration.service';

@ApiTags('Monitoring')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/config')
export class ConfigurationController {
  constructor(private readonly configuration: ConfigurationService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.config.list',
    summary: 'List the configuration',
    description:
      'Returns the variables of the responding instance, with values and origins. Secrets have no value. ' +
      'API keys cannot call this route.',
  })
  @EnvelopedListResponse(VariableDto)
  list(): Promise<VariableDto[]> {
    return this.configuration.list();
  }
}
