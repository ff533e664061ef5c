import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { AUDIT_LOG_FIELDS, AuditLogDto, AuditQueryDto } from './audit.dto';
import { AuditService } from './audit.service';

const CSV = csvContent(AUDIT_LOG_FIELDS);

@ApiTags('Audit and review')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/audit_logs')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.audit.list',
    summary: 'List audit log entries',
    description:
      'Returns changes by administrators, reads of private conversations, and changes of API keys by users, ' +
      'newest first. Entries are immutable, contain no secrets, and have the state before and after. With ' +
      '`format=csv`, the columns are the fields, with `before` and `after` as JSON.',
  })
  @EnvelopedPageResponse(AuditLogDto, { otherContent: CSV })
  list(@Query() query: AuditQueryDto): Promise<Page<AuditLogDto> | StreamableFile> {
    return this.audit.find(query);
  }
}
