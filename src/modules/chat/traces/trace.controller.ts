import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ChatNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import { ReplyTraceDto, toReplyTraceDto } from './reply-trace.dto';
import { Traces } from './traces.service';

@ApiTags('Messages')
@Authenticated()
@Controller('chat')
export class TraceController {
  constructor(private readonly traces: Traces) {}

  @Get(':chat_id/messages/:message_id/trace')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.readTrace',
    summary: 'Retrieve the trace of a reply',
    description:
      'Returns the models called, what they refused and what the service learned from it, the time to the ' +
      'first token, tool calls without arguments, tokens and cost. For a running reply, returns what is known ' +
      'so far.',
  })
  @ApiOkResponse({ type: ReplyTraceDto })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError)
  async read(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
  ): Promise<ReplyTraceDto> {
    return toReplyTraceDto(await this.traces.ofOwner(principal.userId, chatId, messageId));
  }
}
