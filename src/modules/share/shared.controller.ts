import { Controller, Get, Header, HttpCode, HttpStatus, Param, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { Authenticated, Public } from '../../common/security/access.decorator';
import { KeyScope } from '../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext, RequestContext } from '../../common/security/request-context';
import { ScopeRequiredError, UnauthorizedError } from '../../common/security/security.errors';
import { ChatDto, FILE_HASH, FileHashPipe, FileNotFoundError, sendFile } from '../chat/chat.api';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../generation/generation.api';
import { StorageQuotaExceededError } from '../usage/usage.api';
import { SharedChatDto, SharingDto } from './share.dto';
import { ShareNotFoundError } from './share.errors';
import { SharedChatsService } from './shared-chats.service';

/**
 * Prevents indexing by search engines, leaks of the address to linked pages, and rendering as a page of the service.
 */
const PRIVATE = [
  Header('X-Robots-Tag', 'noindex, nofollow, noarchive'),
  Header('Referrer-Policy', 'no-referrer'),
  Header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"),
];

const Unlisted = (): MethodDecorator => (target, name, descriptor) =>
  PRIVATE.forEach((decorate) => decorate(target, name, descriptor));

const TOKEN = {
  name: 'token',
  description: 'Secret of the link.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  example: '9tU2bqkXk3yYw1hJrD0aZQ',
} as const;

@ApiTags('Sharing')
@Controller('shared')
export class SharedController {
  constructor(private readonly shared: SharedChatsService) {}

  @Get()
  @Authenticated()
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'shared.access',
    summary: 'Retrieve the sharing policy',
    description:
      'Returns the setting `sharing`: who may open shared conversations. Show it before a user creates a ' + 'link.',
  })
  @ApiOkResponse({ type: SharingDto })
  access(): Promise<SharingDto> {
    return this.shared.access();
  }

  @Get(':token')
  @Public()
  @Unlisted()
  @ApiOperation({
    operationId: 'shared.read',
    summary: 'Retrieve a shared conversation',
    description:
      'For anyone with the link; if only signed-in users may read, returns 401, or 403 for API keys without ' +
      '`chat:read`. Tool calls, their results and the reasoning of the model are not included. A link that ' +
      'has ended returns 404.',
  })
  @ApiParam(TOKEN)
  @ApiOkResponse({ type: SharedChatDto })
  @ApiErrors(UnauthorizedError, ScopeRequiredError, ShareNotFoundError)
  read(@CurrentContext() context: PublicRequestContext, @Param('token') token: string): Promise<SharedChatDto> {
    return this.shared.read(context, token);
  }

  @Get(':token/files/:hash')
  @Public()
  @ApiOperation({
    operationId: 'shared.readFile',
    summary: 'Download a file of a shared conversation',
    description: 'The file must belong to a visible message. It has its own media type and is always an attachment.',
  })
  @ApiParam(TOKEN)
  @ApiParam(FILE_HASH)
  @ApiOkResponse({
    description: 'The file, with the media type and the name of the part.',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '%PDF-1.7 …' } },
  })
  @ApiErrors(UnauthorizedError, ScopeRequiredError, ShareNotFoundError, FileNotFoundError)
  async readFile(
    @CurrentContext() context: PublicRequestContext,
    @Param('token') token: string,
    @Param('hash', FileHashPipe) hash: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const file = sendFile(response, await this.shared.readFile(context, token, hash));
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Robots-Tag', 'noindex, nofollow, noarchive');
    return file;
  }

  @Post(':token/continue')
  @Authenticated()
  @KeyScope('chat:write')
  @HttpCode(HttpStatus.CREATED)
  @ApiOperation({
    operationId: 'shared.continue',
    summary: 'Continue a shared conversation',
    description:
      'Copies the visible messages, without `system` texts from programs, into your own conversation, with ' +
      'the same agent or, if you may not use it, your default one. Tools with effects need approval there, ' +
      'even if the agent does not require it. Safe to retry with an `Idempotency-Key`.',
  })
  @ApiParam(TOKEN)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiCreatedResponse({ type: ChatDto })
  @ApiErrors(ShareNotFoundError, StorageQuotaExceededError, IdempotencyConflictError)
  continue(
    @CurrentContext() context: RequestContext,
    @Param('token') token: string,
    @IdempotencyKey() key: string | null,
  ): Promise<ChatDto> {
    return this.shared.continue(context, token, key);
  }
}
