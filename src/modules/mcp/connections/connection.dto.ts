import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';

/** An MCP server that a user can connect to. */
export class ConnectionDto {
  /** The label, used in the routes of the connection. @example "github" */
  label: string;

  /** The display name. @example "github" */
  name: string;

  /** The host of the server. @example "mcp.example.com" */
  host: string;

  /** Whether you are connected. With `company`: whether your company sign-in can be used now. @example true */
  connected: boolean;

  /**
   * Where you sign in: at the `server`, or with the `company`, which then confirms your identity to the server (beta).
   * @example "server"
   */
  @ApiProperty({ enum: ['server', 'company'] })
  sign_in: 'server' | 'company';

  /** Your account name at the server; absent: unknown. @example "ada@example.com" */
  account?: string;

  /** The granted scopes. @example ["read"] */
  scopes: string[];

  /** When you connected; null: not connected. @example "2026-07-31T12:00:00.000Z" */
  connected_at: string | null;
}

/** The page to return to after sign-in. */
@ObjectExample({ return_to: '/console' })
export class StartConnectionDto extends LanguageBodyDto {
  /** `/console`, or one of OIDC_RETURN_URLS. @example "/console" */
  @OptionalField()
  @IsString()
  @MaxLength(1_800)
  @ApiPropertyOptional({ default: CONSOLE_PAGE })
  return_to?: string;
}

/** The next page for the browser. */
export class StartedConnectionDto {
  /** The page of the authorization server. @example "https://login.example.com/authorize?…" */
  authorization_url: string;
}

/** The metadata of this service for authorization servers (OAuth client ID metadata document). */
export class ClientDocumentDto {
  /** The URL of this document. @example "https://chat.example.com/api/v1/oauth/mcp/client.json" */
  client_id: string;

  /** The name that users see when they grant access. @example "Chat" */
  client_name: string;

  /** The allowed redirect URIs. @example ["https://chat.example.com/api/v1/oauth/mcp/callback"] */
  redirect_uris: string[];

  /** The grant types that this service uses. @example ["authorization_code", "refresh_token"] */
  grant_types: string[];

  /** The response types that this service uses. @example ["code"] */
  response_types: string[];

  /** How this service authenticates. `none`: only with this document and PKCE. @example "none" */
  token_endpoint_auth_method: string;

  /** The application type. @example "web" */
  application_type: string;
}
