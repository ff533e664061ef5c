import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { HoldNotFoundError, TooManyHoldExportsError } from '../hold.errors';
import { ExportHoldQueryDto } from './export-hold-query.dto';
import { HoldExportService } from './hold-export.service';

@ApiTags('Legal holds')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/holds/:id')
export class HoldExportController {
  constructor(private readonly exports: HoldExportService) {}

  @Get('export')
  @Audited('hold.exported', 'hold')
  @ApiOperation({
    operationId: 'admin.holds.export',
    summary: 'Export the data of a legal hold',
    description:
      'Needs `ADMIN_CONTENT_ACCESS=true`, otherwise 403. Includes what owners have deleted, with `deleted_at`. ' +
      'The audit log gets one entry before the first byte, and one at the end with the SHA-256 of what was sent.',
  })
  @ApiOkResponse({
    description: 'A ZIP archive whose last file is `manifest.json`, or JSON Lines whose last line is `{type: "end"}`.',
    content: {
      'application/zip': { schema: { type: 'string', format: 'binary' }, example: 'PK …' },
      'application/x-ndjson': { schema: { type: 'string' }, example: '{"type":"user","id":42}\n' },
    },
  })
  @ApiErrors(HoldNotFoundError, TooManyHoldExportsError)
  export(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: ExportHoldQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return this.exports.start(principal.userId, id, query, response);
  }
}
