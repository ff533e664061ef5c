import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { AssertedBy } from '../../identity/identity.api';
import type { Reach } from '../protocol/named-http';

/** The stored members of an authorization server's metadata. */
const KEPT = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'revocation_endpoint_auth_methods_supported',
  'token_endpoint_auth_methods_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

/** The SDK's types lack some members. */
export type AuthorityMetadata = AuthorizationServerMetadata & {
  revocation_endpoint?: string;
  revocation_endpoint_auth_methods_supported?: string[];
  code_challenge_methods_supported?: unknown;
  registration_endpoint?: string;
};

/** The authorization server of an MCP server, and the resource. */
export interface Authority {
  reach: Reach;
  /** The resource parameter of token requests (RFC 8707). */
  resource: string;
  metadata: AuthorityMetadata;
}

/** Scopes that are known before a user signs in; null: unknown. */
export interface SaidOfScopes {
  /** Scopes that the MCP server requests. */
  demanded: string[] | null;
  /** Scopes that the authorization server supports. */
  known: string[] | null;
}

/** The OAuth client of this service at an authorization server. */
export interface OAuthClient {
  /**
   * `by_hand`: set by an administrator. `document`: the URL of the metadata document. `registered`: registered
   * dynamically.
   */
  kind: 'by_hand' | 'document' | 'registered';
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
}

/** The result of an authorization. It is only stored encrypted. */
export interface Grant {
  authority: Authority;
  client: OAuthClient;
  accessToken: string;
  /** Null: the server issues none. */
  refreshToken: string | null;
  /** The company sign-in behind the grant; absent: a grant by the user or of the service itself. */
  assertedBy?: AssertedBy;
}

/** Reduces the metadata to the members that are stored for each user. */
export function keptMetadata(metadata: AuthorizationServerMetadata): AuthorityMetadata {
  const known = metadata as unknown as Record<string, unknown>;
  const kept = KEPT.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]);
  return Object.fromEntries(kept) as typeof metadata;
}
