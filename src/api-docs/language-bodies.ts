import type { OpenAPIObject } from '@nestjs/swagger';
import { readsBody } from '../common/http/body/request-body';
import { LanguageBodyDto } from '../common/validation/language-body.dto';
import { operationsOf } from './operations';

/** Adds a body with `lang` to operations that have no other body. Its schema must be in the document. */
export function documentLanguageBodies(document: OpenAPIObject): void {
  for (const { method, operation } of operationsOf(document)) {
    if (readsBody(method)) {
      operation.requestBody ??= {
        required: false,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${LanguageBodyDto.name}` } } },
      };
    }
  }
}
