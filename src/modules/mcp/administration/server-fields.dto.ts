import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsObject, IsString, Matches, Max, Min } from 'class-validator';
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
import { scopesIn } from '../servers/scopes-in';
import { areHeaders, arePolicies, isResource, isServerUrl, MOST_HEADERS, MOST_POLICIES } from '../servers/server-rules';

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

/** Scopes may also come as OAuth writes them: in one text, separated by blanks or commas. */
const splitScopes = Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? scopesIn(value) : value));

/** What can be set in any case. */
export class McpServerFieldsDto extends LanguageBodyDto {
  /**
   * How the service signs in: not at all, with `client_secret` as a bearer token or with `headers`, with what each user allowed
   * (`oauth_user`), with a token of its own (`oauth_service`), or with what each user's sign-in with the company is exchanged for
   * (`enterprise`, beta; `client_id` and `client_secret` are those at the server's authorization server). @example "secret"
   */
  @OptionalField()
  @IsIn(MCP_AUTHS)
  auth?: McpAuth;

  /**
   * What the authorization server calls this service, as it was registered there by hand. Without `client_secret` the address of the
   * service's document comes first, where the authorization server takes such and people reach the service by https. @example "chat"
   */
  @NullableField()
  @NotBlank()
  @MaxLength(255)
  @IsString()
  client_id?: string | null;

  /** Never shown again; null: none. @example "a-secret-of-the-server" */
  @NullableField()
  @Matches(/^[\x20-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  client_secret?: string | null;

  /** What is requested with OAuth, and nothing beyond it; also one text, separated by blanks or commas. @example [] */
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
   * The issuer that the metadata of the authorization server must name, exactly; null: the one that the server of tools names. Set it
   * if the metadata of a server that you trust names another issuer. @example "https://auth.example.com"
   */
  @NullableField()
  @FieldRule('invalid_url', isServerUrl)
  @MaxLength(2_000)
  @IsString()
  @ApiPropertyOptional({ type: String, maxLength: 2_000, nullable: true })
  issuer?: string | null;

  /**
   * For which resource tokens are requested (RFC 8707), exactly as the metadata of the server names it; null: any with the origin of
   * `url` whose path is that of `url` or a parent of it. @example "https://mcp.example.com/mcp"
   */
  @NullableField()
  @FieldRule('invalid_url', isResource)
  @MaxLength(2_000)
  @IsString()
  @ApiPropertyOptional({ type: String, maxLength: 2_000, nullable: true })
  resource?: string | null;

  /** `assumed`: PKCE with S256 is used although the metadata of the authorization server does not list it. @example "required" */
  @OptionalField()
  @IsIn(PKCE_RULES)
  pkce?: PkceRule;

  /** Sent with each request. Only the names are shown again. They replace all earlier ones. @example { "X-Api-Key": "a-key" } */
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

  /** Whose members the tools are for; null: everybody, empty: nobody. @example null */
  @NullableField()
  @NoDuplicates()
  @Max(2_147_483_647, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @ArrayMaxSize(MOST_GROUPS)
  @IsArray()
  @ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, maxItems: MOST_GROUPS, nullable: true })
  groups?: number[] | null;

  /** The only tools that are offered, by the names that the server uses; null: all. @example null */
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

  /** What tools demand at least, by the names that the server uses. Agents and messages may tighten it. @example { "delete_issue": "deny" } */
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

  /** Whether it is believed which tools are read-only and which idempotent. Otherwise all have effects. @example false */
  @OptionalField()
  @IsBoolean()
  trust_annotations?: boolean;

  /** What the server may ask a person in the middle of a call. @example "off" */
  @OptionalField()
  @IsIn(ELICITATIONS)
  elicitation?: Elicitation;

  /** Seconds from the start of a call to its end, whatever comes between. @example 60 */
  @OptionalField()
  @Max(600)
  @Min(1)
  @IsInt()
  timeout?: number;

  /** The version of the protocol; `auto` asks the server. @example "auto" */
  @OptionalField()
  @IsIn(MCP_PROTOCOLS)
  protocol?: McpProtocol;

  /** False: its tools are not offered. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new server of tools. */
@ObjectExample({ label: 'example', url: 'https://mcp.example.com/mcp' })
export class CreateMcpServerDto extends McpServerFieldsDto {
  /** Its name before those of its tools: `label__tool`. @example "github" */
  @Matches(LABEL)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  label: string;

  /** Where it listens (Streamable HTTP). @example "https://mcp.example.com/mcp" */
  @UrlField()
  url: string;
}

/** Changes of a server; absent fields stay as they are. */
@ObjectExample({ timeout: 60 })
export class UpdateMcpServerDto extends McpServerFieldsDto {
  /** Where it listens. Another host needs the credentials again. @example "https://mcp.example.com/mcp" */
  @OptionalField()
  @UrlField()
  url?: string;
}
