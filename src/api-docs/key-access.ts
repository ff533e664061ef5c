import type { OpenAPIObject } from '@nestjs/swagger';
import type { RequiredScope } from '../common/security/key-scope.decorator';
import { type OperationObject, operationsOf } from './operations';

/** Name of the security scheme of API keys. */
export const API_KEY_SCHEME = 'apiKey';

/**
 * The scope that an API key needs for an operation. Null if no key may call it; undefined if the operation is public.
 */
export function requiredScope(operation: OperationObject): RequiredScope | undefined {
  return (operation as { 'x-scope'?: RequiredScope })['x-scope'];
}

/** Documents for every operation whether API keys can call it. The pages show the scope as an extension. */
export function documentKeyAccess(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    if (requiredScope(operation)) {
      operation.security = [...(operation.security ?? []), { [API_KEY_SCHEME]: [] }];
    }
  }
}

/**
 * Lists the scopes that the error for a missing scope may name. Only the application knows the scopes of its modules.
 */
export function documentRequiredScopes(document: OpenAPIObject, scopes: readonly string[]): void {
  const details = document.components?.schemas?.ScopeRequiredDetails as
    | { properties: { scope: { enum?: string[] } } }
    | undefined;
  if (details) {
    details.properties.scope.enum = [...scopes];
  }
}

/**
 * Declares the security of most operations at the top: an access token, or an API key. Operations that differ declare
 * their own.
 */
export function shareSecurity(document: OpenAPIObject): void {
  const common = ['bearer', 'password', API_KEY_SCHEME].map((scheme) => ({ [scheme]: [] }));
  document.security = common;
  for (const { operation } of operationsOf(document)) {
    if (JSON.stringify(operation.security) === JSON.stringify(common)) {
      delete operation.security;
    }
  }
}
