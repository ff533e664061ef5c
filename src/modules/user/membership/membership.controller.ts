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

@ApiTags('User')
@Authenticated()
@NoKeys()
@Controller('user')
export class MembershipController {
  constructor(private readonly memberships: MembershipService) {}

  @Post('upgrade')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'account.upgrade',
    summary: 'Buy or prolong a plan',
    description:
      'Meant to be called after a payment. Adds a calendar month or year to the present end of the plan, or from now. ' +
      'The same payment_token sent again adds nothing more and is answered 200.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(PaymentRequiredError, ForbiddenError)
  async upgrade(@CurrentContext() context: RequestContext, @Body() upgrade: UpgradeDto): Promise<AcknowledgementDto> {
    const isCounted = await this.memberships.upgrade(context, upgrade);
    return acknowledge(context.language, isCounted ? 'upgraded' : 'payment_counted_before');
  }
}
