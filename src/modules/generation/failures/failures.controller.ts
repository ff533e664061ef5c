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

@ApiTags('Monitoring')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/replies')
export class FailuresController {
  constructor(private readonly failures: FailuresService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.replies.list',
    summary: 'List failed replies',
    description:
      'Returns failed replies of the last 30 days, newest first, for each user the newest 1,000. Each has the ' +
      'user, the failed model and the message of the provider. Keys and conversation text are not included.',
  })
  @EnvelopedPageResponse(FailedReplyDto, { otherContent: CSV })
  list(@Query() query: ListRepliesQueryDto): Promise<Page<FailedReplyDto> | StreamableFile> {
    return this.failures.find(query);
  }

  @Get('models')
  @ApiOperation({
    operationId: 'admin.replies.byModel',
    summary: 'Retrieve model reliability',
    description:
      'Returns the failure rate and the time to the first token of each model in the last hours, most used ' +
      'first. Counts at most the newest 10,000 messages of conversations, and as many of programs.',
  })
  @EnvelopedListResponse(ModelRepliesDto)
  models(@Query() { hours }: ModelRepliesQueryDto): Promise<ModelRepliesDto[]> {
    return this.failures.byModel(hours);
  }
}
