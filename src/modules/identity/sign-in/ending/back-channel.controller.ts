import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../../common/errors/api-errors.decorator';
import { InvalidJsonError } from '../../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { TakesForms } from '../../../../common/http/body/body-rules.decorator';
import { FORM, leaveUnread } from '../../../../common/http/body/request-body';
import { NotRateLimited } from '../../../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../../../common/security/access.decorator';
import { NoKeys } from '../../../../common/security/key-scope.decorator';
import { IdentityProviderNotFoundError } from '../../identity.errors';
import { BackChannel } from './back-channel';
import { LogoutTokenDto, readLogoutToken } from './back-channel.dto';

/** The body of a refusal, for the API document. */
const NO_LOGOUT_TOKEN_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', enum: ['invalid_request'], description: 'Error code from the standard.' } },
};

/** A body that cannot be parsed has no logout token, so it gets the same response as an invalid one. */
@Catch(InvalidJsonError, ValidationFailedError)
class NoLogoutTokenFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    leaveUnread(http.getRequest<Request>(), response);
    refuseLogoutToken(response);
  }
}

/** The response that the standard requires (OpenID Connect Back-Channel Logout 1.0 §2.8). */
function refuseLogoutToken(response: Response): void {
  response.status(400).setHeader('Cache-Control', 'no-store').json({ error: 'invalid_request' });
}

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
