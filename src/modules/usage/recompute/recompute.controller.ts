import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CostRecomputation } from './cost-recomputation';
import { RecomputeCostsDto, RecomputedCostsDto } from './recompute.dto';

@ApiTags('Admin: settings')
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
    summary: 'Reckon costs anew',
    description:
      'By the prices that are known now, each request by the one that was valid when it began. Statistics follow; what replies ' +
      'told of their cost stays. The audit log keeps the reason.',
  })
  @EnvelopedResponse(RecomputedCostsDto)
  recompute(@Body() body: RecomputeCostsDto): Promise<RecomputedCostsDto> {
    return this.recomputation.run(body);
  }
}
