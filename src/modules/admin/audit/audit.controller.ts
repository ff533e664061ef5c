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

const CSV = csvContent(AUDIT_LOG_FIELDS, [
  ...[
    118,
    '2026-07-31T12:00:00.000Z',
    1,
    'ada',
    '203.0.113.7',
    'Mozilla/5.0',
    'own-1',
    'user.update',
    'user',
    '42',
    42,
  ],
  ...['{"membership_type":"free"}', '{"membership_type":"monthly"}', null, null],
]);

@ApiTags('Admin: audit')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/audit_logs')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.audit.list',
    summary: 'Who changed what',
    description:
      'Every write of an administrator, every reading of a conversation, and what users do with their API keys, with ' +
      'the state before and after; newest first. Entries cannot be changed or deleted, and contain no secrets. `format=csv` gives a file (UTF-8 with ' +
      'byte order mark, CR LF) of all matching entries; its columns are the fields, `before` and `after` as JSON.',
  })
  @EnvelopedPageResponse(AuditLogDto, 'A page of the log; with `format=csv` all as `text/csv`.', undefined, CSV)
  list(@Query() query: AuditQueryDto): Promise<Page<AuditLogDto> | StreamableFile> {
    return this.audit.find(query);
  }
}
