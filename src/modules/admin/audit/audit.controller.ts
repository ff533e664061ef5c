import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorators';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AuditLogDto, AuditQueryDto } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Admin: audit')
@AdminOnly()
@Enveloped()
@Controller('admin/audit_logs')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ApiOperation({
    summary: 'Who changed what',
    description:
      'Every write of an administrator, and every reading of a conversation, with the state before and after; the ' +
      'newest first. Entries cannot be changed or deleted. Secrets are never in them.',
  })
  @EnvelopedPageResponse(AuditLogDto, 'A page of the log.')
  list(@Query() query: AuditQueryDto): Promise<Page<AuditLogDto>> {
    return this.audit.list(query);
  }
}
