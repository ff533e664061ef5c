import { Body, Controller, Header, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../../common/errors/api-errors.decorator';
import { TakesForms } from '../../../../common/http/body/body-rules.decorator';
import { FORM } from '../../../../common/http/body/request-body';
import { NotRateLimited } from '../../../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../../../common/security/access.decorator';
import { NoKeys } from '../../../../common/security/key-scope.decorator';
import { IdentityProviderNotFoundError } from '../../identity.errors';
import { BackChannel } from './back-channel';
import { LogoutTokenDto } from './back-channel.dto';

@ApiTags('Authentication')
@Public()
@NoKeys()
@Controller('auth/oidc')
export class BackChannelController {
  constructor(private readonly channel: BackChannel) {}

  // A provider tells of everybody who leaves on one evening, and each forged token costs one signature.
  @Post(':slug/backchannel_logout')
  @NotRateLimited()
  @TakesForms(true)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.endProviderSessions',
    summary: 'End sessions, for providers',
    description:
      'OpenID Connect Back-Channel Logout 1.0. `sid` ends one session, `sub` alone all of that identity. A token that is not valid is 400 with `{error}` alone, as the standard has it.',
  })
  @ApiParam({
    name: 'slug',
    description: 'The provider.',
    schema: { type: 'string', maxLength: 32 },
    example: 'company',
  })
  @ApiConsumes(FORM, 'application/json')
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'They have ended. Nothing else is said.',
    content: { 'text/plain': { schema: { type: 'string', maxLength: 0 }, example: '' } },
  })
  @ApiErrors(IdentityProviderNotFoundError)
  async logOut(
    @Param('slug') slug: string,
    @Body() { logout_token: token = '' }: LogoutTokenDto,
    @Res() response: Response,
  ): Promise<void> {
    if (await this.channel.logOut(slug, token)) {
      response.end();
    } else {
      response.status(HttpStatus.BAD_REQUEST).json({ error: 'invalid_request' });
    }
  }
}
