import { Controller, Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { NotFoundError } from '../../../common/errors/common.errors';
import { TakesForms } from '../../../common/http/body/body-rules.decorator';
import { FORM } from '../../../common/http/body/request-body';
import { CountedBySession } from '../../../common/rate-limit/counted-by-session.decorator';
import { Public } from '../../../common/security/access.decorator';
import { callerAddress } from '../../../common/security/caller-address';
import { userAgentOf } from '../../../common/security/request-context';
import { DeviceTokens } from '../../auth/auth.api';
import { ServiceAddress } from '../../identity/identity.api';
import { DeviceCodes } from '../codes/device-codes';
import { DeviceConfig } from '../device.config';
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  SlowDownError,
  TooManyDeviceCodesError,
  UnsupportedGrantTypeError,
} from '../device.errors';
import { DEVICE_PAGE, DeviceLogin } from '../device-login';
import { scopesOf } from '../device-scopes';
import {
  DeviceAuthorizationDto,
  DeviceAuthorizationRequestDto,
  DeviceTokenDto,
  RevocationRequestDto,
  TokenRequestDto,
} from './oauth.dto';
import { OAuthErrors } from './oauth-errors';
import { OAuthForm } from './oauth-form';
import { ANTHROPIC_OAUTH_PREFIX, defaultScopes, OAUTH_PREFIX } from './oauth-paths';
import { DEVICE_GRANT, REFRESH_GRANT, TokenRequests } from './token-requests';

/** Longest name that a program sends, in characters. */
const LONGEST_NAME = 64;

const LONGEST_SCOPE = 256;

@ApiTags('Command-line programs')
@Public()
@Controller(OAUTH_PREFIX)
export class OAuthController {
  constructor(
    private readonly login: DeviceLogin,
    private readonly codes: DeviceCodes,
    private readonly tokens: DeviceTokens,
    private readonly config: DeviceConfig,
    private readonly address: ServiceAddress,
  ) {}

  @Post('device_authorization')
  @TakesForms(true)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'oauth.authorizeDevice',
    summary: 'Start the sign-in of a command-line program',
    description:
      'The device flow of RFC 8628: the user enters `user_code` on the page, while the program polls ' +
      '`POST /oauth/token`. Each client address can have 100 codes at a time. The same routes are below `/anthropic`.',
  })
  @ApiConsumes(FORM)
  @ApiBody({ type: DeviceAuthorizationRequestDto, required: false })
  @ApiOkResponse({ type: DeviceAuthorizationDto })
  @OAuthErrors(InvalidScopeError, NotFoundError, TooManyDeviceCodesError)
  async authorizeDevice(@Req() request: Request): Promise<DeviceAuthorizationDto> {
    await this.login.assertOn();
    const form = new OAuthForm(request);
    const names = ['client_id', 'surface', 'device_name'].map((name) => form.name(name, LONGEST_NAME));
    const [clientId = null, surface = null, deviceName = null] = names;
    const scope = scopeOf(form, request);
    const address = callerAddress(request).slice(0, 45);
    const userAgent = userAgentOf(request)?.slice(0, 512) ?? null;
    const { deviceCode, userCode, interval } = await this.codes.issue({
      clientId,
      surface,
      deviceName,
      scope,
      address,
      userAgent,
    });
    const page = this.address.page(DEVICE_PAGE, request);
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      ...(this.config.DEVICE_CODE_IN_LINK && { verification_uri_complete: `${page}?user_code=${userCode}` }),
      expires_in: this.config.DEVICE_CODE_TTL,
      interval,
    };
  }

  @Post('token')
  @TakesForms(true)
  @CountedBySession(TokenRequests)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @Header('Pragma', 'no-cache')
  @ApiOperation({
    operationId: 'oauth.issueToken',
    summary: 'Issue the tokens of a command-line program',
    description:
      'Exchanges an approved device code, or a refresh token. Refresh tokens are replaced at each use; for ten ' +
      'seconds, the previous one returns the same tokens. A poll with a valid code counts against no rate limit.',
  })
  @ApiConsumes(FORM)
  @ApiBody({ type: TokenRequestDto })
  @ApiOkResponse({ type: DeviceTokenDto })
  @OAuthErrors(
    AuthorizationPendingError,
    SlowDownError,
    AccessDeniedError,
    ExpiredTokenError,
    UnsupportedGrantTypeError,
    InvalidGrantError,
    NotFoundError,
  )
  async issueToken(@Req() request: Request): Promise<DeviceTokenDto> {
    const form = new OAuthForm(request);
    // Not needed, but must not be sent twice either.
    form.optional('client_id');
    switch (form.required('grant_type')) {
      case DEVICE_GRANT:
        await this.login.assertOn();
        return this.codes.poll(form.required('device_code'));
      case REFRESH_GRANT:
        return this.refresh(form.required('refresh_token'));
      default:
        throw new UnsupportedGrantTypeError();
    }
  }

  @Post('revoke')
  @TakesForms(true)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'oauth.revokeToken',
    summary: 'End the session of a command-line program',
    description: 'Token revocation of RFC 7009: either token ends the session. An unknown token returns 200 too.',
  })
  @ApiConsumes(FORM)
  @ApiBody({ type: RevocationRequestDto })
  @ApiOkResponse({ description: 'The token is invalid now.', schema: { type: 'object', example: {} } })
  @OAuthErrors()
  async revokeToken(@Req() request: Request): Promise<object> {
    const form = new OAuthForm(request);
    form.optional('token_type_hint');
    await this.tokens.revoke(form.required('token'));
    return {};
  }

  private async refresh(token: string): Promise<DeviceTokenDto> {
    const pair = await this.tokens.refresh(token);
    if (!pair) {
      throw new InvalidGrantError();
    }
    return pair;
  }
}

/** The same routes below the base of the Anthropic-compatible API. */
@ApiExcludeController()
@Public()
@Controller(ANTHROPIC_OAUTH_PREFIX)
export class AnthropicOAuthController extends OAuthController {}

function scopeOf(form: OAuthForm, request: Request): string {
  const requested = form.optional('scope');
  if (requested !== undefined && requested.length > LONGEST_SCOPE) {
    throw new InvalidRequestError('scope');
  }
  return scopesOf(requested, defaultScopes(request)).join(' ');
}
