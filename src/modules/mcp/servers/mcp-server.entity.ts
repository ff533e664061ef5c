import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { ToolPolicy } from '../../agent/agent.api';

/**
 * How the service signs in at a server: not at all, with a secret, with what each user allowed (OAuth), with a token of its own
 * (OAuth, client credentials), or with what each user's sign-in with the company is exchanged for (identity assertion).
 */
export const MCP_AUTHS = ['none', 'secret', 'oauth_user', 'oauth_service', 'enterprise'] as const;

export type McpAuth = (typeof MCP_AUTHS)[number];

/** What a server may ask a person in the middle of a call. */
export const ELICITATIONS = ['off', 'form', 'form_and_url'] as const;

export type Elicitation = (typeof ELICITATIONS)[number];

export const MCP_PROTOCOLS = ['auto', '2026-07-28', '2025-11-25'] as const;

export type McpProtocol = (typeof MCP_PROTOCOLS)[number];

/** Whether the metadata of an authorization server must list PKCE with S256. It is sent in any case. */
export const PKCE_RULES = ['required', 'assumed'] as const;

export type PkceRule = (typeof PKCE_RULES)[number];

/** A server whose tools agents can call (Model Context Protocol, Streamable HTTP). */
@Entity('mcp_servers')
@Index('uq_mcp_servers_label', ['label'], { unique: true })
export class McpServerEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Its name before those of its tools. */
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

  /** What the metadata of its authorization server must name; null: the issuer that the server names. */
  @Column({ type: 'varchar', length: 2_000, nullable: true })
  issuer: string | null;

  /** As its metadata must name it, and as tokens are requested for it; null: by the address of the server. */
  @Column({ type: 'varchar', length: 2_000, nullable: true })
  resource: string | null;

  @Column({ type: 'varchar', length: 16, default: 'required' })
  pkce: PkceRule;

  /** Encrypted JSON of names and values; null: none. */
  @LongTextColumn({ nullable: true })
  headers: string | null;

  /** Their names, as they were written. */
  @JsonColumn({ name: 'header_names' })
  headerNames: string[];

  /** Whose members its tools are for; null: everybody, empty: nobody. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: number[] | null;

  /** By the names that the server uses; null: all. */
  @JsonColumn({ name: 'allowed_tools', nullable: true })
  allowedTools: string[] | null;

  /** By the names that the server uses. */
  @JsonColumn()
  policies: Record<string, ToolPolicy>;

  /** Whether it is believed which tools are read-only and which idempotent. */
  @Column({ name: 'trust_annotations', type: 'boolean' })
  trustAnnotations: boolean;

  @Column({ type: 'varchar', length: 16 })
  elicitation: Elicitation;

  /** Seconds from the start of a call to its end. */
  @Column({ type: 'int' })
  timeout: number;

  @Column({ type: 'varchar', length: 16 })
  protocol: McpProtocol;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** When its list of tools was read; null: never. */
  @TimestampColumn({ name: 'listed_at', nullable: true })
  listedAt: Date | null;

  /** Milliseconds that the list may be used, as the server says; null: it says nothing. */
  @Column({ name: 'list_ttl', type: 'int', nullable: true })
  listTtl: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}

/** Whether the header Authorization is the service's own. */
export function isOAuth(auth: McpAuth): boolean {
  return auth === 'oauth_service' || isOfUser(auth);
}

/** Whether each user speaks with the server under their own name, so that it may show each something else. */
export function isOfUser(auth: McpAuth): boolean {
  return auth === 'oauth_user' || auth === 'enterprise';
}
