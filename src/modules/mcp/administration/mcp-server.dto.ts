import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import { TOOL_POLICIES, type ToolPolicy } from '../../agent/agent.api';
import { MCP_FAULTS, type McpFault } from '../mcp.errors';
import { MISMATCHED_FIELDS, type MismatchedField } from '../oauth/metadata-mismatch';
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
import type { McpServer } from '../servers/mcp-server.store';

/** An MCP server, without its secrets. */
export class McpServerDto {
  /** The ID. @example 1 */
  id: number;

  /** The prefix of its tools' names: `label__tool`. @example "github" */
  label: string;

  /** The URL of the server. @example "https://mcp.example.com/mcp" */
  url: string;

  /** How the service authenticates. @example "secret" */
  @ApiProperty({ enum: MCP_AUTHS })
  auth: McpAuth;

  /** The OAuth client ID of this service. @example "chat" */
  client_id: string | null;

  /** Whether a secret is set. @example true */
  has_client_secret: boolean;

  /** The OAuth scopes to request. @example [] */
  scopes: string[];

  /**
   * The required issuer in the metadata of its authorization server; null: the issuer that the server names.
   * @example "https://auth.example.com"
   */
  issuer: string | null;

  /** The resource of token requests; null: as in the server's metadata. @example "https://mcp.example.com/mcp" */
  resource: string | null;

  /** Whether the metadata of its authorization server must list PKCE with S256. @example "required" */
  @ApiProperty({ enum: PKCE_RULES })
  pkce: PkceRule;

  /** Names of the additional request headers. @example ["X-Api-Key"] */
  headers: string[];

  /** Groups whose members may use the tools; null: all users. @example null */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, nullable: true, example: null })
  groups: number[] | null;

  /** The only tools that agents may use; null: all. @example null */
  @ApiProperty({ type: 'array', items: { type: 'string' }, nullable: true, example: null })
  allowed_tools: string[] | null;

  /** Minimum policies by the server's tool names. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...TOOL_POLICIES] },
    example: { delete_issue: 'deny' },
  })
  policies: Record<string, ToolPolicy>;

  /** Whether the server's read-only and idempotent annotations are trusted. @example false */
  trust_annotations: boolean;

  /** Input that the server may request from a person. @example "off" */
  @ApiProperty({ enum: ELICITATIONS })
  elicitation: Elicitation;

  /** The time limit of a call, in seconds. @example 60 */
  timeout: number;

  /** The protocol version. @example "auto" */
  @ApiProperty({ enum: MCP_PROTOCOLS })
  protocol: McpProtocol;

  /** Whether agents may use its tools. @example true */
  is_active: boolean;

  /** The redirect URI to register at its authorization server; null: users do not connect to it. @example null */
  @ApiProperty({ type: String, nullable: true, example: null })
  redirect_uri: string | null;

  /** Tools that wait for your approval. @example 2 */
  waiting_tools: number;

  /** The failure of this instance's last exchange with the server; null: none. @example null */
  @ApiProperty({ enum: MCP_FAULTS, nullable: true, example: null })
  fault: McpFault | null;

  /** When its list of tools was read; null: never. @example "2026-07-31T12:00:00.000Z" */
  listed_at: string | null;

  /** When it was added. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** The result of a deletion. */
export class DeletedMcpServerDto {
  /** The deleted server. @example 1 */
  id: number;
}

/** Options for a deletion. */
export class DeleteMcpServerQueryDto {
  /** `true`: deletes a server whose tools agents use. The agents lose the tools. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  force?: boolean;
}

/** An unexpected value in the metadata of a server or its authorization server. */
export class MetadataMismatchDto {
  /** The name of the value. @example "issuer" */
  @ApiProperty({ enum: MISMATCHED_FIELDS })
  field: MismatchedField;

  /** The expected value. @example "https://mcp.example.com" */
  expected: string;

  /**
   * The actual value, up to 500 characters; an empty string if it is missing. @example "https://sign-in.example.com"
   */
  actual: string;
}

/** The result of a connection test. */
export class McpServerTestDto {
  /** Whether the complete list of tools could be read. @example true */
  ok: boolean;

  /** The failure; null: none. @example null */
  @ApiProperty({ enum: MCP_FAULTS, nullable: true, example: null })
  reason: McpFault | null;

  /** The result as a text. @example "The server answers." */
  message: string;

  /** The negotiated protocol version; null: none. @example "2026-07-28" */
  protocol: string | null;

  /** The server's name; null: unknown. @example "example-server" */
  server_name: string | null;

  /** The server's version; null: unknown. @example "1.0.0" */
  server_version: string | null;

  /** The number of tools; null: unknown. @example 12 */
  tools: number | null;

  /** The metadata value that prevents OAuth sign-in; null: none. @example null */
  @ApiProperty({ type: MetadataMismatchDto, nullable: true, example: null })
  mismatch: MetadataMismatchDto | null;

  /** The duration of the test, in milliseconds. @example 120 */
  duration_ms: number;
}

export function toMcpServerDto(
  server: McpServer,
  state: Pick<McpServerDto, 'waiting_tools' | 'fault' | 'redirect_uri'>,
): McpServerDto {
  return {
    id: server.id,
    label: server.label,
    url: server.url,
    auth: server.auth,
    client_id: server.clientId,
    has_client_secret: server.clientSecret !== null,
    scopes: server.scopes,
    issuer: server.issuer,
    resource: server.resource,
    pkce: server.pkce,
    headers: server.headerNames,
    groups: server.groupIds,
    allowed_tools: server.allowedTools,
    policies: server.policies,
    trust_annotations: server.trustAnnotations,
    elicitation: server.elicitation,
    timeout: server.timeout,
    protocol: server.protocol,
    is_active: server.isActive,
    ...state,
    listed_at: server.listedAt?.toISOString() ?? null,
    created_at: server.createdAt.toISOString(),
    updated_at: server.updatedAt.toISOString(),
  };
}
