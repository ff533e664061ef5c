import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { acknowledge, AcknowledgementDto } from '../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../common/envelope/total-count';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { API_PREFIX } from '../../common/http/api-prefix';
import { ownAddress } from '../../common/http/own-address';
import { Authenticated } from '../../common/security/access.decorator';
import { KeyScope } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { IdPipe } from '../../common/validation/id.pipe';
import { AppConfig } from '../../config/app.config';
import { ChatNotFoundError } from '../chat/chat.api';
import { CreateShareDto, NewShareDto, ShareDto } from './share.dto';
import { ShareNotFoundError } from './share.errors';
import { SharesService } from './shares.service';

@ApiTags('Sharing')
@Authenticated()
@Controller('chat')
export class SharesController {
  constructor(
    private readonly shares: SharesService,
    private readonly config: AppConfig,
  ) {}

  @Post(':chat_id/shares')
  @KeyScope('chat:write')
  @ApiOperation({
    operationId: 'chat.shares.create',
    summary: 'Share a conversation',
    description:
      'Anyone with the link can read texts, images and files, with or without an account as `GET /shared` ' +
      'says; the owner is not shown. The link is returned only once. You can create 200 links per day.',
  })
  @ApiBody({ type: CreateShareDto, required: false })
  @ApiCreatedResponse({ type: NewShareDto })
  @ApiErrors(ChatNotFoundError, ShareNotFoundError)
  async create(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Body() body: CreateShareDto,
    @Req() request: Request,
  ): Promise<NewShareDto> {
    const { share, token } = await this.shares.create(principal.userId, chatId, body);
    return { ...share, url: this.toLink(token, request), token };
  }

  @Get(':chat_id/shares')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.shares.list',
    summary: 'List share links',
    description: 'Returns the links that work, newest first.',
  })
  @ApiOkResponse({ type: [ShareDto], headers: TOTAL_COUNT })
  @ApiErrors(ChatNotFoundError)
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ShareDto[]> {
    return setTotalCount(response, await this.shares.list(principal.userId, chatId, query));
  }

  @Delete(':chat_id/shares/:share_id')
  @KeyScope('chat:write')
  @ApiOperation({
    operationId: 'chat.shares.remove',
    summary: 'Revoke a share link',
    description: 'The link stops working permanently.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(ChatNotFoundError, ShareNotFoundError)
  async remove(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('share_id', IdPipe) id: number,
  ): Promise<AcknowledgementDto> {
    await this.shares.end(principal.userId, chatId, id);
    return acknowledge(language, 'share_ended');
  }

  private toLink(token: string, request: Request): string {
    return `${ownAddress(this.config, request)}/${this.config.CONSOLE_ENABLED ? 'console' : API_PREFIX}/shared/${token}`;
  }
}
