import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { ToolPolicy } from '../../agent/agent.api';

/**
 * How the service authenticates at a server: not at all, with a secret, with each user's grant (OAuth), with its own
 * token (OAuth client credentials), or with a token for each user's company sign-in (identity assertion).
 */
export const MCP_AUTHS = ['none', 'secret', 'oauth_user', 'oauth_service', 'enterprise'] as const;

export type McpAuth = (typeof MCP_AUTHS)[number];

/** Input that a server may request from a person during a call. */
export const ELICITATIONS = ['off', 'form', 'form_and_url'] as const;

export type Elicitation = (typeof ELICITATIONS)[number];

export const MCP_PROTOCOLS = ['auto', '2026-07-28', '2025-11-25'] as const;

export type McpProtocol = (typeof MCP_PROTOCOLS)[number];

/** Whether the metadata of an authorization server must list PKCE with S256. The service always uses it. */
export const PKCE_RULES = ['required', 'assumed'] as const;

export type PkceRule = (typeof PKCE_RULES)[number];

/** An MCP server whose tools agents can call (Streamable HTTP transport). */
@Entity('mcp_servers')
@Index('uq_mcp_servers_label', ['label'], { unique: true })
export class McpServerEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The prefix of its tools' names. */
  @Column({ type: 'varchar', length: 32 })
  label: string;

  @Column({ type: 'varchar', length: 2_000 })
  url: string;

  @Column({ type: 'varchar', length: 16 })
  auth: McpAuth;

  @Column({ name: 'client_id', type: 'varchar', length: 255, nullable: true })
  clientId: string | null;

  /** Encrypted; null: none. */
  @LongTextColumn({ name: 'client_secret', nullable: true })
  clientSecret: string | null;

  @JsonColumn()
  scopes: string[];

  /** The required issuer in the metadata of its authorization server; null: the issuer that the server names. */
  @Column({ type: 'varchar', length: 2_000, nullable: true })
  issuer: string | null;

  /** The resource of token requests, which the metadata must contain; null: derived from the URL of the server. */
  @Column({ type: 'varchar', length: 2_000, nullable: true })
  resource: string | null;

  @Column({ type: 'varchar', length: 16, default: 'required' })
  pkce: PkceRule;

  /** Encrypted JSON of names and values; null: none. */
  @LongTextColumn({ nullable: true })
  headers: string | null;

  /** The header names, in their original spelling. */
  @JsonColumn({ name: 'header_names' })
  headerNames: string[];

  /** Groups whose members may use the tools; null: all users; an empty array: no user. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: number[] | null;

  /** By the server's tool names; null: all. */
  @JsonColumn({ name: 'allowed_tools', nullable: true })
  allowedTools: string[] | null;

  /** By the server's tool names. */
  @JsonColumn()
  policies: Record<string, ToolPolicy>;

  /** Whether the server's read-only and idempotent annotations are trusted. */
  @Column({ name: 'trust_annotations', type: 'boolean' })
  trustAnnotations: boolean;

  @Column({ type: 'varchar', length: 16 })
  elicitation: Elicitation;

  /** The time limit of a call, in seconds. */
  @Column({ type: 'int' })
  timeout: number;

  @Column({ type: 'varchar', length: 16 })
  protocol: McpProtocol;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** When its list of tools was read; null: never. */
  @TimestampColumn({ name: 'listed_at', nullable: true })
  listedAt: Date | null;

  /** How long the server allows the list to be cached, in milliseconds; null: unknown. */
  @Column({ name: 'list_ttl', type: 'int', nullable: true })
  listTtl: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}

/** Whether the service sets the header `Authorization` itself. */
export function isOAuth(auth: McpAuth): boolean {
  return auth === 'oauth_service' || isOfUser(auth);
}

/** Whether each user accesses the server with a separate account, so that its list of tools may differ by user. */
export function isOfUser(auth: McpAuth): boolean {
  return auth === 'oauth_user' || auth === 'enterprise';
}
