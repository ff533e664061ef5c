import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LONGEST_PARAMETER } from './oauth-form';

/** The metadata of the authorization server (RFC 8414). */
export class OAuthMetadataDto {
  /** Issuer identifier. @example "https://chat.example.com" */
  issuer: string;

  /** Where programs start a sign-in. @example "https://chat.example.com/oauth/device_authorization" */
  device_authorization_endpoint: string;

  /** Where programs fetch and refresh tokens. @example "https://chat.example.com/oauth/token" */
  token_endpoint: string;

  /** Where programs end their session. @example "https://chat.example.com/oauth/revoke" */
  revocation_endpoint: string;

  /** The supported grants. @example ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"] */
  grant_types_supported: string[];

  /** Public clients only. @example ["none"] */
  token_endpoint_auth_methods_supported: string[];

  /** The scopes that a device can have. @example ["anthropic", "openai"] */
  scopes_supported: string[];

  /** Empty: there is no authorization endpoint. @example [] */
  response_types_supported: string[];

  /** Version of Claude Code's gateway protocol. @example 1 */
  gateway_protocol_version: number;
}

/** What a program sends to start a sign-in. */
export class DeviceAuthorizationRequestDto {
  /** Name of the program, at most 64 characters. @example "chat-service-client" */
  @ApiPropertyOptional({ maxLength: 64 })
  client_id?: string;

  /** Scopes, separated by spaces, at most 256 characters. @example "anthropic openai" */
  @ApiPropertyOptional({ maxLength: 256 })
  scope?: string;

  /** Kind of program, at most 64 characters. @example "cli" */
  @ApiPropertyOptional({ maxLength: 64 })
  surface?: string;

  /** Name of the computer, at most 64 characters. @example "ada-laptop" */
  @ApiPropertyOptional({ maxLength: 64 })
  device_name?: string;
}

/** The codes of a new sign-in (RFC 8628 §3.2). */
export class DeviceAuthorizationDto {
  /** For `POST /oauth/token`. @example "V4b…" */
  device_code: string;

  /** The code that the user types. @example "BCDF-GHJK" */
  user_code: string;

  /** The page for the user. @example "https://chat.example.com/console/device" */
  verification_uri: string;

  /** The page with the code, if `DEVICE_CODE_IN_LINK` is true. @example "https://chat.example.com/console/device?user_code=BCDF-GHJK" */
  verification_uri_complete?: string;

  /** Seconds until both codes expire. @example 600 */
  expires_in: number;

  /** Least seconds between two polls. @example 5 */
  interval: number;
}

/** A request for tokens. */
export class TokenRequestDto {
  @ApiProperty({
    description: 'The grant type.',
    enum: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    example: 'urn:ietf:params:oauth:grant-type:device_code',
  })
  grant_type: string;

  /** For the device code grant. @example "V4b…" */
  @ApiPropertyOptional({ maxLength: LONGEST_PARAMETER })
  device_code?: string;

  /** For the refresh token grant. @example "q3kR…" */
  @ApiPropertyOptional({ maxLength: LONGEST_PARAMETER })
  refresh_token?: string;
}

/** The tokens of a device session (RFC 6749 §5.1). */
export class DeviceTokenDto {
  /** JWT for the header `Authorization: Bearer <access_token>`. @example "eyJhbGciOi…" */
  access_token: string;

  /** Always `Bearer`. @example "Bearer" */
  token_type: 'Bearer';

  /** Seconds that the access token is valid. @example 3600 */
  expires_in: number;

  /** For the next refresh. It can be used once. @example "q3kR…" */
  refresh_token: string;

  /** Scopes of the session, separated by spaces. @example "anthropic openai" */
  scope: string;

  /** Address of the user's account. @example "ada@example.com" */
  email: string;
}

/** A token to revoke. */
export class RevocationRequestDto {
  /** A refresh or access token. @example "q3kR…" */
  @ApiProperty({ maxLength: LONGEST_PARAMETER })
  token: string;

  /** Ignored. @example "refresh_token" */
  @ApiPropertyOptional({ maxLength: LONGEST_PARAMETER })
  token_type_hint?: string;
}
