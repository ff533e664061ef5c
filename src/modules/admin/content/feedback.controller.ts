import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { FEEDBACK_FIELDS, FeedbackEntryDto, FeedbackQueryDto } from './feedback.dto';
import { FeedbackService } from './feedback.service';

const CSV = csvContent(FEEDBACK_FIELDS);

@ApiTags('Audit and review')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/feedback')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.feedback.list',
    summary: 'List feedback',
    description: 'Returns ratings with the comments of users, newest first. The rated replies are not included.',
  })
  @EnvelopedPageResponse(FeedbackEntryDto, { otherContent: CSV })
  list(@Query() query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto> | StreamableFile> {
    return this.feedback.find(query);
  }
}
