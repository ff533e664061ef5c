import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { COST_FIELDS, CostDto, ListCostsQueryDto } from './costs.dto';
import { CostsService } from './costs.service';

const CSV = csvContent(COST_FIELDS);

@ApiTags('Money')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/costs')
export class CostsController {
  constructor(private readonly costs: CostsService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.costs.list',
    summary: 'List request costs',
    description:
      'Returns the ledger, newest first: one row for each provider request, with the price that applied. It ' +
      'contains no message content. In the CSV file, `user`, `api_key`, `agent` and `price` are JSON.',
  })
  @EnvelopedPageResponse(CostDto, { otherContent: CSV })
  list(@Query() query: ListCostsQueryDto): Promise<Page<CostDto> | StreamableFile> {
    return this.costs.find(query);
  }
}
