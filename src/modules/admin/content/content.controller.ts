import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ChatNotFoundError } from '../../chat/chat.api';
import {
  CHAT_METADATA_FIELDS,
  ChatContentDto,
  ChatMetadataDto,
  ListAllChatsQueryDto,
  ReadContentQueryDto,
  toChatContentDto,
} from './content.dto';
import { ContentService } from './content.service';

const CSV = csvContent(CHAT_METADATA_FIELDS);

@ApiTags('Audit and review')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/chats')
export class ContentController {
  constructor(private readonly content: ContentService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.chats.list',
    summary: 'List conversations of all users',
    description:
      'Returns owner, agent, length and times of each conversation, newest first. Titles, tags and messages ' +
      'are not included.',
  })
  @EnvelopedPageResponse(ChatMetadataDto, { otherContent: CSV })
  list(@Query() query: ListAllChatsQueryDto): Promise<Page<ChatMetadataDto> | StreamableFile> {
    return this.content.find(query);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'admin.chats.read',
    summary: 'Retrieve a conversation of any user',
    description:
      'Returns 403 unless the operator has set `ADMIN_CONTENT_ACCESS=true`. The reason is written to the ' +
      'audit log before the content is returned.',
  })
  @EnvelopedResponse(ChatContentDto)
  @ApiErrors(ChatNotFoundError)
  @Audited('chat.read', 'chat')
  async read(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: ReadContentQueryDto,
  ): Promise<ChatContentDto> {
    return toChatContentDto(await this.content.read(id, query), context.language);
  }
}
