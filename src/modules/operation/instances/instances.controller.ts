import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { InstanceDto } from './instance.dto';
import { InstancesService } from './instances.service';

@ApiTags('Monitoring')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/instances')
export class InstancesController {
  constructor(private readonly instances: InstancesService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.instances.list',
    summary: 'List instances',
    description:
      'Returns the processes that share the database, with their versions, load and delays. A process without a ' +
      'heartbeat is `lost` after 15 seconds, and is removed after a day. With SQLite there is only one instance.',
  })
  @EnvelopedListResponse(InstanceDto)
  list(): Promise<InstanceDto[]> {
    return this.instances.list();
  }
}
