import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidParameterError } from '../../../common/errors/validation.errors';

/** The header in the API document. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Key for safe retries, in visible ASCII characters. The service keeps it for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

const KEY = /^[\x21-\x7e]{1,64}$/;

/** The header `Idempotency-Key`: 1 to 64 visible ASCII characters. Null when it is absent. */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
  if (key === undefined) {
    return null;
  }
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new InvalidParameterError([{ field: 'Idempotency-Key', reason: 'invalid_format' }]);
  }
  return key;
});
