import { Body, Controller, Delete, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { translate } from '../../../common/i18n/translator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { HoldNotices } from '../../hold/hold.api';
import { LastAdminError } from '../../user/user.api';
import { AccountLockedError, InvalidCredentialsError } from '../attempts/attempt.errors';
import { DeviceCookie } from '../clients/device-cookie';
import { InvalidCodeError } from '../codes/code.errors';
import { AccountService } from './account.service';
import { AccountClosedDto } from './close-account.dto';
import { CloseAccountDto } from './close-account.dto';
import { CredentialsService } from './credentials.service';
import { ChangePasswordDto } from './password.dto';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('user')
export class AccountController {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly accounts: AccountService,
    private readonly devices: DeviceCookie,
    private readonly notices: HoldNotices,
  ) {}

  @Post('change_password')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'account.changePassword',
    summary: 'Change your password',
    description: 'Ends all other sessions of the user.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(InvalidCredentialsError, AccountLockedError)
  async changePassword(
    @CurrentContext() context: RequestContext,
    @Body() change: ChangePasswordDto,
    @Req() request: Request,
  ): Promise<AcknowledgementDto> {
    await this.credentials.change(this.devices.describe(context, request), change);
    return acknowledge(context.language, 'password_changed');
  }

  @Delete('account')
  @ApiOperation({
    operationId: 'account.close',
    summary: 'Close your account',
    description:
      'Access ends at once, and running replies are stopped. The content is erased at `erase_at`; only ' +
      'anonymous totals remain.',
  })
  @ApiOkResponse({ type: AccountClosedDto })
  @ApiErrors(InvalidCredentialsError, AccountLockedError, InvalidCodeError, LastAdminError)
  async close(
    @CurrentContext() context: RequestContext,
    @Body() proof: CloseAccountDto,
    @Req() request: Request,
  ): Promise<AccountClosedDto> {
    const eraseAt = await this.accounts.close(this.devices.describe(context, request), proof);
    const done = acknowledge(context.language, 'account_deletion_scheduled', { erase_at: eraseAt });
    const closed = { ...done, erase_at: eraseAt.toISOString() };
    if (!(await this.notices.appliesTo(context.principal.userId))) {
      return closed;
    }
    const message = `${closed.message} ${translate(context.language, 'messages.deleted_but_held')}`;
    return { ...closed, message, kept: true };
  }
}
