import type { OpenAPIObject } from '@nestjs/swagger';
import type { RequiredScope } from '../common/security/key-scope.decorator';
import { type OperationObject, operationsOf } from './operations';

/** Name of the security scheme of API keys. */
export const API_KEY_SCHEME = 'apiKey';

/** The scope that an API key needs for an operation; null: no key may call it; undefined: the operation is for everybody. */
export function requiredScope(operation: OperationObject): RequiredScope | undefined {
  return (operation as { 'x-scope'?: RequiredScope })['x-scope'];
}

/** Says of every operation what API keys may do with it. */
export function documentKeyAccess(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    const scope = requiredScope(operation);
    if (scope !== undefined) {
      const sentence = scope === null ? 'Not for API keys.' : `Scope of API keys: \`${scope}\`.`;
      operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
    }
    if (scope) {
      operation.security = [...(operation.security ?? []), { [API_KEY_SCHEME]: [] }];
    }
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
