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

@ApiTags('Audit and review')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/messages')
export class AdminTraceController {
  constructor(private readonly traces: Traces) {}

  @Get(':message_id/trace')
  @ApiOperation({
    operationId: 'admin.messages.readTrace',
    summary: 'Retrieve the trace of any reply',
    description:
      'Returns the trace that the owner sees, with the status and message of each refusal. It contains no ' +
      'keys and no conversation text. Conversations in the trash are not available.',
  })
  @EnvelopedResponse(AdminReplyTraceDto)
  @ApiErrors(MessageNotFoundError)
  async read(@Param('message_id', IdPipe) messageId: number): Promise<AdminReplyTraceDto> {
    return toAdminReplyTraceDto(await this.traces.ofAnybody(messageId));
  }
}
