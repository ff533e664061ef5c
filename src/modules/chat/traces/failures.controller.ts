import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedListResponse, EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import type { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import {
  FAILED_REPLY_FIELDS,
  FailedReplyDto,
  ListRepliesQueryDto,
  ModelRepliesDto,
  ModelRepliesQueryDto,
} from './failed-reply.dto';
import { FailuresService } from './failures.service';

const CSV = csvContent(FAILED_REPLY_FIELDS);

@ApiTags('Admin: content')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/replies')
export class FailuresController {
  constructor(private readonly failures: FailuresService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.replies.list',
    summary: 'Replies that failed',
    description:
      'Those of the last 30 days, of each user the newest 1,000, of conversations and programs, newest first: who asked, which ' +
      'model failed, and what its provider said, without keys. It has no word of a conversation.',
  })
  @EnvelopedPageResponse(FailedReplyDto, { otherContent: CSV })
  list(@Query() query: ListRepliesQueryDto): Promise<Page<FailedReplyDto> | StreamableFile> {
    return this.failures.find(query);
  }

  @Get('models')
  @ApiOperation({
    operationId: 'admin.replies.byModel',
    summary: 'How models have answered lately',
    description:
      'The share of replies that failed, and how long their first tokens took, by model. It counts the replies of the last ' +
      'hours, at most those among the newest 10,000 messages of conversations and of programs each; those with the most first.',
  })
  @EnvelopedListResponse(ModelRepliesDto)
  models(@Query() { hours }: ModelRepliesQueryDto): Promise<ModelRepliesDto[]> {
    return this.failures.byModel(hours);
  }
}
