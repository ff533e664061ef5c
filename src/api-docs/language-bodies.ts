import type { OpenAPIObject } from '@nestjs/swagger';
import { readsBody } from '../common/http/body.guard';
import { LanguageBodyDto } from '../common/validation/language-body.dto';
import { operationsOf } from './operations';

/** Shows on operations that have no body of their own what every body may say. Its schema must be in the document. */
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
