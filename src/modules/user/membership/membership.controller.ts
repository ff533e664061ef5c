import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { PaymentRequiredError } from '../account/user.errors';
import { MembershipService } from './membership.service';
import { UpgradeDto } from './upgrade.dto';

@ApiTags('Money')
@Authenticated()
@NoKeys()
@Controller('user')
export class MembershipController {
  constructor(private readonly memberships: MembershipService) {}

  @Post('upgrade')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'account.upgrade',
    summary: 'Buy or extend a plan',
    description:
      'Call it after a payment. Adds a calendar month or year to the current end of the plan, or from now. ' +
      'Repeating the same `payment_token` adds nothing and returns 200.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(PaymentRequiredError, ForbiddenError)
  async upgrade(@CurrentContext() context: RequestContext, @Body() upgrade: UpgradeDto): Promise<AcknowledgementDto> {
    const isCounted = await this.memberships.upgrade(context, upgrade);
    return acknowledge(context.language, isCounted ? 'upgraded' : 'payment_counted_before');
  }
}
