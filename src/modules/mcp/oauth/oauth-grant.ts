import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { AssertedBy } from '../../identity/identity.api';
import type { Reach } from '../protocol/named-http';

/** What is kept of what an authorization server says of itself. */
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

/** Who gives tokens for a server of tools, and for what. */
export interface Authority {
  reach: Reach;
  /** As tokens are asked for it (RFC 8707). */
  resource: string;
  metadata: AuthorityMetadata;
}

/** What is said of scopes where nobody is signed in; null: nothing is. */
export interface SaidOfScopes {
  /** Those that the server of tools asks for. */
  demanded: string[] | null;
  /** Those that the authorization server has. */
  known: string[] | null;
}

/** What this service is at an authorization server. */
export interface OAuthClient {
  /** `by_hand`: an administrator wrote it down. `document`: it is the address of a document. `registered`: it was given one. */
  kind: 'by_hand' | 'document' | 'registered';
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
}

/** What was given. It is stored encrypted only. */
export interface Grant {
  authority: Authority;
  client: OAuthClient;
  accessToken: string;
  /** Null: the server gives none. */
  refreshToken: string | null;
  /** Whose sign-in with the company it was given for; absent: the user, or the service itself, was asked there. */
  assertedBy?: AssertedBy;
}

/** Small enough to be stored for each user. */
export function keptMetadata(metadata: AuthorizationServerMetadata): AuthorityMetadata {
  const known = metadata as unknown as Record<string, unknown>;
  const kept = KEPT.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]);
  return Object.fromEntries(kept) as typeof metadata;
}
