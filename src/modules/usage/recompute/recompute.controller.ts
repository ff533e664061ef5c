import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CostRecomputation } from './cost-recomputation';
import { RecomputeCostsDto, RecomputedCostsDto } from './recompute.dto';

@ApiTags('Money')
@AdminOnly()
@KeyScope('admin:write')
@Enveloped()
@Controller('admin/prices')
export class RecomputeController {
  constructor(private readonly recomputation: CostRecomputation) {}

  @Post('recompute')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'admin.prices.recompute',
    summary: 'Recalculate costs',
    description:
      'Recalculates past costs with the prices known now, each request with the price valid when it started. ' +
      'Statistics change, but the costs stored in replies do not. The reason is kept in the audit log.',
  })
  @EnvelopedResponse(RecomputedCostsDto)
  recompute(@Body() body: RecomputeCostsDto): Promise<RecomputedCostsDto> {
    return this.recomputation.run(body);
  }
}
