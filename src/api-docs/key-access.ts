import type { OpenAPIObject } from '@nestjs/swagger';
import type { RequiredScope } from '../common/security/key-scope.decorator';
import { type OperationObject, operationsOf } from './operations';

/** Name of the security scheme of API keys. */
export const API_KEY_SCHEME = 'apiKey';

/** The scope that an API key needs for an operation; null: no key may call it; undefined: the operation is for everybody. */
export function requiredScope(operation: OperationObject): RequiredScope | undefined {
  return (operation as { 'x-scope'?: RequiredScope })['x-scope'];
}

/** Says of every operation whether API keys open it. The pages show the scope as the extension that it is. */
export function documentKeyAccess(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    if (requiredScope(operation)) {
      operation.security = [...(operation.security ?? []), { [API_KEY_SCHEME]: [] }];
    }
  }
}

/** The scopes that the failure of a key may name. Only the application knows those of its modules. */
export function documentRequiredScopes(document: OpenAPIObject, scopes: readonly string[]): void {
  const details = document.components?.schemas?.ScopeRequiredDetails as
    | { properties: { scope: { enum?: string[] } } }
    | undefined;
  if (details) {
    details.properties.scope.enum = [...scopes];
  }
}

/** What opens most operations: an access token, or an API key. Those that differ say so. */
export function shareSecurity(document: OpenAPIObject): void {
  const common = ['bearer', 'password', API_KEY_SCHEME].map((scheme) => ({ [scheme]: [] }));
  document.security = common;
  for (const { operation } of operationsOf(document)) {
    if (JSON.stringify(operation.security) === JSON.stringify(common)) {
      delete operation.security;
    }
  }
}
