import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdempotencyKey } from '../../generation/generation.api';
import { ANTHROPIC_PREFIX } from '../anthropic-prefix';
import { MessageService } from './message.service';
import { MessageRequestBody } from './message-body.decorator';
import { checkBody, versionOf } from './message-request';

/** Messages in the format of Anthropic's API. docs/anthropic.md describes the differences. */
@ApiExcludeController()
@Authenticated()
@KeyScope('anthropic')
@Controller(`${ANTHROPIC_PREFIX}/v1/messages`)
export class MessageController {
  constructor(private readonly messages: MessageService) {}

  @Post()
  @MessageRequestBody()
  @HttpCode(HttpStatus.OK)
  create(
    @CurrentContext() context: RequestContext,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const version = versionOf(request);
    const body = checkBody(request.body, true);
    const bytes = request.exactBody ?? Buffer.alloc(0);
    return this.messages.answer({ context, exchange: { request, response }, body, bytes, version, key });
  }

  @Post('count_tokens')
  @CountedAs('token_count')
  @MessageRequestBody()
  @HttpCode(HttpStatus.OK)
  countTokens(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const version = versionOf(request);
    const body = checkBody(request.body, false);
    const bytes = request.exactBody ?? Buffer.alloc(0);
    return this.messages.count({ context, exchange: { request, response }, body, bytes, version, key: null });
  }
}
