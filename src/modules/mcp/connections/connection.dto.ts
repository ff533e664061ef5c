import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';

/** A server of tools that one can connect with. */
export class ConnectionDto {
  /** The server, for the routes of its connection. @example "github" */
  label: string;

  /** What people call it. @example "github" */
  name: string;

  /** Where it is. @example "mcp.example.com" */
  host: string;

  /** Whether you are connected; where you sign in with the company, whether that can be used now. @example true */
  connected: boolean;

  /** Where you sign in: at the `server`, or with the `company`, which then vouches for you there (beta). @example "server" */
  @ApiProperty({ enum: ['server', 'company'] })
  sign_in: 'server' | 'company';

  /** What you are called there; absent: the server does not say. @example "ada@example.com" */
  account?: string;

  /** What you allowed. @example ["read"] */
  scopes: string[];

  /** Since when; null: you are not connected. @example "2026-07-31T12:00:00.000Z" */
  connected_at: string | null;
}

/** Where the browser comes back to. */
@ObjectExample({ return_to: '/console' })
export class StartConnectionDto extends LanguageBodyDto {
  /** `/console`, or one of OIDC_RETURN_URLS. @example "/console" */
  @OptionalField()
  @IsString()
  @MaxLength(1_800)
  @ApiPropertyOptional({ default: CONSOLE_PAGE })
  return_to?: string;
}

/** Where the browser goes next. */
export class StartedConnectionDto {
  /** The page of the authorization server. @example "https://login.example.com/authorize?…" */
  authorization_url: string;
}

/** What this service says of itself to authorization servers (OAuth client id metadata document). */
export class ClientDocumentDto {
  /** The address of this document. @example "https://chat.example.com/api/v1/oauth/mcp/client.json" */
  client_id: string;

  /** What people are asked to trust. @example "Chat" */
  client_name: string;

  /** Where they come back to. @example ["https://chat.example.com/api/v1/oauth/mcp/callback"] */
  redirect_uris: string[];

  /** How this service asks for tokens. @example ["authorization_code", "refresh_token"] */
  grant_types: string[];

  /** What the authorization server is asked for. @example ["code"] */
  response_types: string[];

  /** How this service proves who it is: by nothing but this document and its flow (PKCE). @example "none" */
  token_endpoint_auth_method: string;

  /** What kind of client it is. @example "web" */
  application_type: string;
}
