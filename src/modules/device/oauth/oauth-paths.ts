import type { Request } from 'express';

/** The base of the Anthropic-compatible API, which has its own issuer. */
const ANTHROPIC = 'anthropic';

/** The paths of the OAuth API: of the service itself, and of the Anthropic-compatible API. */
export const OAUTH_PREFIX = 'oauth';
export const ANTHROPIC_OAUTH_PREFIX = `${ANTHROPIC}/oauth`;

/** The paths of the metadata (RFC 8414 §3.1). Some clients append the well-known path to the issuer instead. */
export const METADATA_PATH = '.well-known/oauth-authorization-server';
export const ANTHROPIC_METADATA_PATHS = [`${METADATA_PATH}/${ANTHROPIC}`, `${ANTHROPIC}/${METADATA_PATH}`];

/** The prefixes whose errors have the format of OAuth. Other modules have routes below `/oauth`, too. */
export const OAUTH_PREFIXES = [
  ...['device_authorization', 'token', 'revoke'].map((name) => `${OAUTH_PREFIX}/${name}`),
  ANTHROPIC_OAUTH_PREFIX,
  METADATA_PATH,
  `${ANTHROPIC}/${METADATA_PATH}`,
];

/** The path of the issuer that a request is for: empty, or that of the Anthropic-compatible API. */
export function issuerPath({ path }: Request): '' | '/anthropic' {
  return /^\/anthropic\/|\/anthropic\/?$/i.test(path) ? `/${ANTHROPIC}` : '';
}

/** Scopes of a program that requests none. */
export function defaultScopes(request: Request): string[] {
  return issuerPath(request) === '' ? ['anthropic', 'openai'] : ['anthropic'];
}
