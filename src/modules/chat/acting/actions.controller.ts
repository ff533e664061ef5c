import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited, AuditEverybody } from '../../../common/audit/audited.decorator';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  DECISION_FAILURES,
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
  REPLY_FAILURES,
} from '../../generation/generation.api';
import { ChatNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import { ActionDto } from '../messages/action.dto';
import { ReplyQueryDto } from '../reading/reply-query.dto';
import { ReplyResponse } from '../reading/reply-response.decorator';
import { streamFormatOf } from '../reading/stream-format';
import { ActionsService } from './actions.service';
import { DecisionDto, toDecisionRequest } from './decision.dto';
import { ListActionsQueryDto } from './list-actions-query.dto';

@ApiTags('Tool approvals')
@Authenticated()
@Controller('chat/:chat_id/actions')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.actions.list',
    summary: 'List actions of a conversation',
    description: 'Returns decisions about tool calls, newest first.',
  })
  @ApiOkResponse({ type: [ActionDto], headers: TOTAL_COUNT })
  @ApiErrors(ChatNotFoundError)
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ListActionsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ActionDto[]> {
    return setTotalCount(response, await this.actions.ofChat(principal.userId, chatId, query));
  }

  @Post(':action_id')
  @KeyScope('actions:decide')
  @AuditEverybody()
  @Audited('action.decide', 'action', ['decision'], 'arguments')
  @BodyLimit(LARGE_BODY)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'chat.actions.decide',
    summary: 'Decide on a tool call',
    description:
      'Continues the same reply and answers like `POST /chat/message`; a stream continues at `X-Stream-Offset`. ' +
      'If other actions are open, the reply is `requires_action` again; if the model cannot be called again, the ' +
      'reply is `failed` with that error. An action is decided once, a repeated decision returns the same ' +
      'response, and approvers who cannot read the conversation receive `{id, state}`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ReplyResponse()
  @ApiErrors(...DECISION_FAILURES, ChatNotFoundError, MessageNotFoundError, IdempotencyConflictError, ...REPLY_FAILURES)
  async decide(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('action_id', IdPipe) actionId: number,
    @Body() body: DecisionDto,
    @Query() query: ReplyQueryDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = streamFormatOf(request, query, body);
    await this.actions.decide({ request, response }, format, principal, chatId, toDecisionRequest(actionId, body), key);
  }
}
