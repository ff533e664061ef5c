import { Body, Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AuditEverybody } from '../../../common/audit/audited.decorator';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { NotFoundError } from '../../../common/errors/common.errors';
import { RateLimitExceededError } from '../../../common/rate-limit/rate-limit.errors';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import {
  AccountBannedError,
  IdentitySuspendedError,
  SessionRevokedError,
} from '../../../common/security/security.errors';
import { InvalidCodeError } from '../../auth/auth.api';
import { OtherOriginError } from '../device.errors';
import { DeviceLogin } from '../device-login';
import { DecideDeviceDto, DeviceRequestDto, LookUpDeviceDto, toDeviceRequestDto } from './device-approval.dto';
import { DeviceApprovalService } from './device-approval.service';

@ApiTags('Command-line programs')
@Authenticated()
@NoKeys()
@Controller('auth/device')
export class DeviceApprovalController {
  constructor(
    private readonly login: DeviceLogin,
    private readonly approval: DeviceApprovalService,
  ) {}

  @Post('lookup')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.lookUpDevice',
    summary: 'Retrieve a command-line program',
    description:
      'Returns the program that shows this code, and binds the code to you. Only pages of this service may call ' +
      'it. After ten wrong codes in ten minutes, the limit for wrong codes is reached.',
  })
  @ApiOkResponse({ type: DeviceRequestDto })
  @ApiErrors(InvalidCodeError, OtherOriginError, NotFoundError, RateLimitExceededError)
  async lookUp(
    @CurrentContext() context: RequestContext,
    @Body() { user_code }: LookUpDeviceDto,
    @Req() request: Request,
  ): Promise<DeviceRequestDto> {
    await this.assertOwnPage(request);
    return toDeviceRequestDto(await this.approval.lookUp(context, user_code));
  }

  @Post('decide')
  @AuditEverybody()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.decideDevice',
    summary: 'Approve or deny a command-line program',
    description:
      'Needs a lookup of the code by the same user. An approval opens a session, which the program fetches with ' +
      'its next poll. The decision is final.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(
    InvalidCodeError,
    OtherOriginError,
    NotFoundError,
    SessionRevokedError,
    AccountBannedError,
    IdentitySuspendedError,
  )
  async decide(
    @CurrentContext() context: RequestContext,
    @Body() { user_code, decision }: DecideDeviceDto,
    @Req() request: Request,
  ): Promise<AcknowledgementDto> {
    await this.assertOwnPage(request);
    await this.approval.decide(context, user_code, decision);
    return acknowledge(context.language, decision === 'approve' ? 'device_approved' : 'device_denied');
  }

  /** Browsers send the origin of a request (Fetch Metadata), so another site's page cannot approve a device. */
  private async assertOwnPage({ headers }: Request): Promise<void> {
    await this.login.assertOn();
    if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') {
      throw new OtherOriginError();
    }
  }
}
