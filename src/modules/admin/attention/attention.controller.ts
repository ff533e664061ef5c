import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Attention } from '../../../common/attention/attention';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { AttentionItemDto, toAttentionItemDto } from './attention.dto';

@ApiTags('Monitoring')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/attention')
export class AttentionController {
  constructor(private readonly attention: Attention) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.attention.list',
    summary: 'List open problems',
    description:
      'Returns everything that needs an administrator, most severe first; an empty list means that all is ' +
      'well. The states of mail, providers and models are those of the instance that answers.',
  })
  @EnvelopedListResponse(AttentionItemDto)
  async list(): Promise<AttentionItemDto[]> {
    return (await this.attention.items()).map(toAttentionItemDto);
  }
}
