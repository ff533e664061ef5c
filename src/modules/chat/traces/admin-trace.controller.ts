import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import { MessageNotFoundError } from '../conversations/chat.errors';
import { AdminReplyTraceDto, toAdminReplyTraceDto } from './reply-trace.dto';
import { Traces } from './traces.service';

@ApiTags('Admin: content')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/messages')
export class AdminTraceController {
  constructor(private readonly traces: Traces) {}

  @Get(':message_id/trace')
  @ApiOperation({
    operationId: 'admin.messages.readTrace',
    summary: 'How a reply of anybody came about',
    description:
      'As its owner sees it, with the status and the sentence of each refusal, without keys. It has no word of the conversation. ' +
      'What is in the trash is not shown.',
  })
  @EnvelopedResponse(AdminReplyTraceDto)
  @ApiErrors(MessageNotFoundError)
  async read(@Param('message_id', IdPipe) messageId: number): Promise<AdminReplyTraceDto> {
    return toAdminReplyTraceDto(await this.traces.ofAnybody(messageId));
  }
}
