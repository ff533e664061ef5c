import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorators';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { FeedbackEntryDto, FeedbackQueryDto } from './feedback.dto';
import { FeedbackService } from './feedback.service';

@ApiTags('Admin: content')
@AdminOnly()
@Enveloped()
@Controller('admin/feedback')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Get()
  @ApiOperation({
    summary: 'What users think of replies',
    description: 'Ratings with the user’s comment, the newest first; the replies themselves are not shown.',
  })
  @EnvelopedPageResponse(FeedbackEntryDto, 'A page of ratings.')
  list(@Query() query: FeedbackQueryDto): Promise<Page<FeedbackEntryDto>> {
    return this.feedback.list(query);
  }
}
