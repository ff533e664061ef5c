import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Attention } from '../../../common/attention/attention';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { AttentionItemDto, toAttentionItemDto } from './attention.dto';

@ApiTags('Admin: statistics')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/attention')
export class AttentionController {
  constructor(private readonly attention: Attention) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.attention.list',
    summary: 'What needs an administrator',
    description:
      'Everything that is wrong now, the worst first; empty when nothing is. Mail, providers and models are as the answering instance sees them.',
  })
  @EnvelopedListResponse(AttentionItemDto)
  async list(): Promise<AttentionItemDto[]> {
    return (await this.attention.items()).map(toAttentionItemDto);
  }
}
