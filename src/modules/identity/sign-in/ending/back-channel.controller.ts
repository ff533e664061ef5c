import { Body, Controller, Header, HttpCode, HttpStatus, Param, Post, Res, UseFilters } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../../common/errors/api-errors.decorator';
import { TakesForms } from '../../../../common/http/body/body-rules.decorator';
import { FORM } from '../../../../common/http/body/request-body';
import { NotRateLimited } from '../../../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../../../common/security/access.decorator';
import { NoKeys } from '../../../../common/security/key-scope.decorator';
import { IdentityProviderNotFoundError } from '../../identity.errors';
import { BackChannel } from './back-channel';
import { LogoutTokenDto, readLogoutToken } from './back-channel.dto';
import { NO_LOGOUT_TOKEN_SCHEMA, NoLogoutTokenFilter, refuseLogoutToken } from './no-logout-token.filter';

@ApiTags('Sign-in')
@Public()
@NoKeys()
@Controller('auth/oidc')
export class BackChannelController {
  constructor(private readonly channel: BackChannel) {}

  // A provider may log out all its users in one evening, and rejecting a forged token costs only one signature check.
  @Post(':slug/backchannel_logout')
  @NotRateLimited()
  @TakesForms(true)
  @UseFilters(NoLogoutTokenFilter)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.endProviderSessions',
    summary: 'End sessions by back-channel logout',
    description:
      'For identity providers, by OpenID Connect Back-Channel Logout 1.0: `sid` ends one session, `sub` alone ' +
      'all sessions of the identity. An invalid token returns 400 with `{error}` only, as the standard ' +
      'requires.',
  })
  @ApiParam({
    name: 'slug',
    description: 'Slug of the provider.',
    schema: { type: 'string', maxLength: 32 },
    example: 'company',
  })
  @ApiBody({ type: LogoutTokenDto })
  @ApiConsumes(FORM, 'application/json')
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'The sessions have ended.',
    content: { 'text/plain': { schema: { type: 'string', maxLength: 0 }, example: '' } },
  })
  @ApiResponse({
    status: HttpStatus.BAD_REQUEST,
    description: 'The logout token is missing or invalid.',
    content: { 'application/json': { schema: NO_LOGOUT_TOKEN_SCHEMA } },
  })
  @ApiErrors(IdentityProviderNotFoundError)
  async logOut(@Param('slug') slug: string, @Body() body: unknown, @Res() response: Response): Promise<void> {
    if (await this.channel.logOut(slug, readLogoutToken(body))) {
      response.end();
    } else {
      refuseLogoutToken(response);
    }
  }
}
