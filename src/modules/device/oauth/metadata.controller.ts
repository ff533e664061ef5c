import { Controller, Get, Req } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { NotFoundError } from '../../../common/errors/common.errors';
import { Public } from '../../../common/security/access.decorator';
import { ServiceAddress } from '../../identity/identity.api';
import { DeviceLogin } from '../device-login';
import { DEVICE_SCOPES } from '../device-scopes';
import { OAuthMetadataDto } from './oauth.dto';
import { OAuthErrors } from './oauth-errors';
import { ANTHROPIC_METADATA_PATHS, issuerPath, METADATA_PATH } from './oauth-paths';
import { DEVICE_GRANT, REFRESH_GRANT } from './token-requests';

@ApiTags('Command-line programs')
@Public()
@Controller()
export class OAuthMetadataController {
  constructor(
    private readonly login: DeviceLogin,
    private readonly address: ServiceAddress,
  ) {}

  @Get(METADATA_PATH)
  @ApiOperation({
    operationId: 'oauth.readMetadata',
    summary: 'Retrieve the OAuth metadata',
    description:
      'Authorization server metadata of RFC 8414. The issuer of the Anthropic-compatible API has its own, at ' +
      '`/.well-known/oauth-authorization-server/anthropic`.',
  })
  @ApiOkResponse({ type: OAuthMetadataDto })
  @OAuthErrors(NotFoundError)
  async readMetadata(@Req() request: Request): Promise<OAuthMetadataDto> {
    await this.login.assertOn();
    const issuer = this.address.page(issuerPath(request), request);
    return {
      issuer,
      device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      grant_types_supported: [DEVICE_GRANT, REFRESH_GRANT],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: [...DEVICE_SCOPES],
      response_types_supported: [],
      gateway_protocol_version: 1,
    };
  }

  @Get(ANTHROPIC_METADATA_PATHS)
  @ApiExcludeEndpoint()
  @ApiOkResponse({ type: OAuthMetadataDto })
  readAnthropicMetadata(@Req() request: Request): Promise<OAuthMetadataDto> {
    return this.readMetadata(request);
  }
}
