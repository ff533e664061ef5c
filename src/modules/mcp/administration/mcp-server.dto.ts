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

/** A server of tools, without its secrets. */
export class McpServerDto {
  /** The server. @example 1 */
  id: number;

  /** Its name before those of its tools: `label__tool`. @example "github" */
  label: string;

  /** Where it listens. @example "https://mcp.example.com/mcp" */
  url: string;

  /** How the service signs in. @example "secret" */
  @ApiProperty({ enum: MCP_AUTHS })
  auth: McpAuth;

  /** What the server calls this service. @example "chat" */
  client_id: string | null;

  /** Whether a secret is set. @example true */
  has_client_secret: boolean;

  /** What is asked for with OAuth. @example [] */
  scopes: string[];

  /** The issuer that the metadata of its authorization server must name; null: the one that the server names. @example "https://auth.example.com" */
  issuer: string | null;

  /** The resource that tokens are requested for; null: as the metadata of the server names it. @example "https://mcp.example.com/mcp" */
  resource: string | null;

  /** Whether the metadata of its authorization server must list PKCE with S256. @example "required" */
  @ApiProperty({ enum: PKCE_RULES })
  pkce: PkceRule;

  /** Names of the headers that are sent with each request. @example ["X-Api-Key"] */
  headers: string[];

  /** Whose members the tools are for; null: everybody. @example null */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, nullable: true, example: null })
  groups: number[] | null;

  /** The only tools that are offered; null: all. @example null */
  @ApiProperty({ type: 'array', items: { type: 'string' }, nullable: true, example: null })
  allowed_tools: string[] | null;

  /** What tools demand at least, by the names that the server uses. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...TOOL_POLICIES] },
    example: { delete_issue: 'deny' },
  })
  policies: Record<string, ToolPolicy>;

  /** Whether it is believed which tools are read-only and which idempotent. @example false */
  trust_annotations: boolean;

  /** What the server may ask a person. @example "off" */
  @ApiProperty({ enum: ELICITATIONS })
  elicitation: Elicitation;

  /** Seconds from the start of a call to its end. @example 60 */
  timeout: number;

  /** The version of the protocol. @example "auto" */
  @ApiProperty({ enum: MCP_PROTOCOLS })
  protocol: McpProtocol;

  /** False: its tools are not offered. @example true */
  is_active: boolean;

  /** The callback address to register at its authorization server; null: users do not connect with it. @example null */
  @ApiProperty({ type: String, nullable: true, example: null })
  redirect_uri: string | null;

  /** Tools that wait for your word. @example 2 */
  waiting_tools: number;

  /** How the last exchange of this instance with it failed; null: it did not, or there was none. @example null */
  @ApiProperty({ enum: MCP_FAULTS, nullable: true, example: null })
  fault: McpFault | null;

  /** When its list of tools was read; null: never. @example "2026-07-31T12:00:00.000Z" */
  listed_at: string | null;

  /** When it was added. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** A server that is gone. */
export class DeletedMcpServerDto {
  /** The deleted server. @example 1 */
  id: number;
}

/** Whether to delete a server whose tools agents list. */
export class DeleteMcpServerQueryDto {
  /** `true`: the agents lose the tools. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  force?: boolean;
}

/** A value in the metadata of a server, or of its authorization server, that is not the expected one. */
export class MetadataMismatchDto {
  /** The value. @example "issuer" */
  @ApiProperty({ enum: MISMATCHED_FIELDS })
  field: MismatchedField;

  /** What was expected. @example "https://mcp.example.com" */
  expected: string;

  /** What the metadata says, at most 500 characters; empty: nothing. @example "https://sign-in.example.com" */
  actual: string;
}

/** What a trial found. */
export class McpServerTestDto {
  /** Whether the list of tools could be read to its end. @example true */
  ok: boolean;

  /** What is wrong; null: nothing. @example null */
  @ApiProperty({ enum: MCP_FAULTS, nullable: true, example: null })
  reason: McpFault | null;

  /** The same in words. @example "The server answers." */
  message: string;

  /** The version of the protocol that was agreed on; null: none. @example "2026-07-28" */
  protocol: string | null;

  /** What the server calls itself; null: nothing. @example "example-server" */
  server_name: string | null;

  /** Its own version; null: it does not say. @example "1.0.0" */
  server_version: string | null;

  /** How many tools it lists; null: unknown. @example 12 */
  tools: number | null;

  /** Why its sign-in with OAuth cannot be used; null: no value differs. @example null */
  @ApiProperty({ type: MetadataMismatchDto, nullable: true, example: null })
  mismatch: MetadataMismatchDto | null;

  /** How long it took. @example 120 */
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
