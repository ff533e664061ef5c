import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsObject, IsString, Matches, Max, Min } from 'class-validator';
import { areHeaders, isServerUrl, MOST_HEADERS } from '../../../common/network/server-rules';
import {
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { TOOL_POLICIES, type ToolPolicy } from '../../agent/agent.api';
import {
  type Elicitation,
  ELICITATIONS,
  MCP_AUTHS,
  MCP_PROTOCOLS,
  type McpAuth,
  type McpProtocol,
  PKCE_RULES,
  type PkceRule,
} from '../servers/mcp-server.entity';
import { parseScopes } from '../servers/parse-scopes';
import { arePolicies, isResource, MOST_POLICIES } from '../servers/server-rules';

const LABEL = /^[a-z0-9-]{1,32}$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const MOST_SCOPES = 100;
const MOST_GROUPS = 100;
const MOST_TOOLS = 500;

const UrlField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('invalid_url', isServerUrl),
    MaxLength(2_000),
    IsString(),
    ApiProperty({ maxLength: 2_000 }),
  );

/** Scopes may also be one string, separated by blanks as in OAuth, or by commas. */
const splitScopes = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' ? parseScopes(value) : value,
);

/** Fields that can be set on creation and changed later. */
export class McpServerFieldsDto extends LanguageBodyDto {
  /**
   * How the service authenticates: not at all, with `client_secret` as a bearer token or with `headers`, with each
   * user's grant (`oauth_user`), with its own token (`oauth_service`), or with a token for each user's company sign-in
   * (`enterprise`, beta; `client_id` and `client_secret` are those at the server's authorization server).
   * @example "secret"
   */
  @OptionalField()
  @IsIn(MCP_AUTHS)
  auth?: McpAuth;

  /**
   * The OAuth client ID of this service, if it was registered manually at the authorization server. Without
   * `client_secret`, the service prefers its metadata document if the authorization server supports one and users reach
   * the service by https. @example "chat"
   */
  @NullableField()
  @NotBlank()
  @MaxLength(255)
  @IsString()
  client_id?: string | null;

  /** Never returned; null: none. @example "a-secret-of-the-server" */
  @NullableField()
  @Matches(/^[\x20-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  client_secret?: string | null;

  /**
   * The OAuth scopes to request; no others are requested. Also accepts one string, separated by blanks or commas.
   * @example []
   */
  @splitScopes
  @OptionalField()
  @NoDuplicates()
  @Matches(SCOPE, { each: true })
  @MaxLength(255, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MOST_SCOPES)
  @IsArray()
  @ApiPropertyOptional({ type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: MOST_SCOPES })
  scopes?: string[];

  /**
   * The exact issuer that the metadata of the authorization server must contain; null: the issuer that the MCP server
   * names. Set it if the metadata of a trusted server contains another issuer. @example "https://auth.example.com"
   */
  @NullableField()
  @FieldRule('invalid_url', isServerUrl)
  @MaxLength(2_000)
  @IsString()
  @ApiPropertyOptional({ type: String, maxLength: 2_000, nullable: true })
  issuer?: string | null;

  /**
   * The resource of token requests (RFC 8707), exactly as in the server's metadata; null: any resource with the origin
   * of `url` whose path is that of `url` or a parent of it. @example "https://mcp.example.com/mcp"
   */
  @NullableField()
  @FieldRule('invalid_url', isResource)
  @MaxLength(2_000)
  @IsString()
  @ApiPropertyOptional({ type: String, maxLength: 2_000, nullable: true })
  resource?: string | null;

  /**
   * `assumed`: PKCE with S256 is used even if the metadata of the authorization server does not list it.
   * @example "required"
   */
  @OptionalField()
  @IsIn(PKCE_RULES)
  pkce?: PkceRule;

  /**
   * Sent with each request. They replace all earlier headers. Only the names are returned. @example { "X-Api-Key":
   * "a-key" }
   */
  @OptionalField()
  @FieldRule('invalid_format', areHeaders)
  @IsObject()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 4_096 },
    maxProperties: MOST_HEADERS,
    example: { 'X-Api-Key': 'a-key' },
  })
  headers?: Record<string, string>;

  /** Groups whose members may use the tools; null: all users; an empty array: no user. @example null */
  @NullableField()
  @NoDuplicates()
  @Max(2_147_483_647, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @ArrayMaxSize(MOST_GROUPS)
  @IsArray()
  @ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, maxItems: MOST_GROUPS, nullable: true })
  groups?: number[] | null;

  /** The only tools that agents may use, by the server's names; null: all. @example null */
  @NullableField()
  @NoDuplicates()
  @MaxLength(255, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MOST_TOOLS)
  @IsArray()
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: 255 },
    maxItems: MOST_TOOLS,
    nullable: true,
  })
  allowed_tools?: string[] | null;

  /**
   * Minimum policies by the server's tool names. Agents and messages may tighten them. @example { "delete_issue":
   * "deny" }
   */
  @OptionalField()
  @FieldRule('not_allowed', arePolicies)
  @IsObject()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...TOOL_POLICIES] },
    maxProperties: MOST_POLICIES,
    example: { delete_issue: 'deny' },
  })
  policies?: Record<string, ToolPolicy>;

  /**
   * Whether the server's read-only and idempotent annotations are trusted. Otherwise all tools count as having effects.
   * @example false
   */
  @OptionalField()
  @IsBoolean()
  trust_annotations?: boolean;

  /** Input that the server may request from a person during a call. @example "off" */
  @OptionalField()
  @IsIn(ELICITATIONS)
  elicitation?: Elicitation;

  /** The total time limit of a call, in seconds. @example 60 */
  @OptionalField()
  @Max(600)
  @Min(1)
  @IsInt()
  timeout?: number;

  /** The protocol version; `auto` negotiates it with the server. @example "auto" */
  @OptionalField()
  @IsIn(MCP_PROTOCOLS)
  protocol?: McpProtocol;

  /** Whether agents may use its tools. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new MCP server. */
@ObjectExample({ label: 'example', url: 'https://mcp.example.com/mcp' })
export class CreateMcpServerDto extends McpServerFieldsDto {
  /** The prefix of its tools' names: `label__tool`. @example "github" */
  @Matches(LABEL)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  label: string;

  /** The URL of the server (Streamable HTTP transport). @example "https://mcp.example.com/mcp" */
  @UrlField()
  url: string;
}

/** Changes of a server; absent fields stay unchanged. */
@ObjectExample({ timeout: 60 })
export class UpdateMcpServerDto extends McpServerFieldsDto {
  /**
   * The URL of the server. If the host changes, the credentials are required again.
   * @example "https://mcp.example.com/mcp"
   */
  @OptionalField()
  @UrlField()
  url?: string;
}
