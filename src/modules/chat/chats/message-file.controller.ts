import { Controller, Get, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ChatNotFoundError, FileNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import { FILE_HASH, FileHashPipe } from '../messages/file-hash.pipe';
import { MessageFiles, sendFile } from '../messages/message-files';
import { ChatReadService } from './chat-read.service';

@ApiTags('Messages')
@Authenticated()
@Controller('chat')
export class MessageFileController {
  constructor(
    private readonly reading: ChatReadService,
    private readonly files: MessageFiles,
  ) {}

  @Get(':chat_id/messages/:message_id/files/:hash')
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'chat.readFile',
    summary: 'Download a message file',
    description:
      'Only the owner of the conversation can download it. The file has its own media type and is always an ' +
      'attachment.',
  })
  @ApiParam(FILE_HASH)
  @ApiOkResponse({
    description: 'The file, with the media type and the name of the part.',
    headers: {
      'Content-Disposition': { description: '`attachment` with the file name.', schema: { type: 'string' } },
      'Content-Security-Policy': { description: "`default-src 'none'; sandbox`", schema: { type: 'string' } },
    },
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '%PDF-1.7 …' } },
  })
  @ApiErrors(ChatNotFoundError, MessageNotFoundError, FileNotFoundError)
  async read(
    @CurrentContext() { principal }: RequestContext,
    @Param('chat_id', IdPipe) chatId: number,
    @Param('message_id', IdPipe) messageId: number,
    @Param('hash', FileHashPipe) hash: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const chat = await this.reading.get(principal.userId, chatId);
    return sendFile(response, await this.files.find(chat, messageId, hash));
  }
}
