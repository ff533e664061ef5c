import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';

/** The OpenAPI description of the parameter. */
export const FILE_HASH = {
  name: 'hash',
  description: 'The `hash` of the part.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$', maxLength: 64 },
  example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} as const;

/** Validates a file hash in a path: SHA-256 as 64 lowercase hexadecimal digits. Any other value gets 400. */
@Injectable()
export class FileHashPipe implements PipeTransform<string, string> {
  transform(value: string, metadata: ArgumentMetadata): string {
    if (!/^[0-9a-f]{64}$/.test(value)) {
      throw new InvalidParameterError([{ field: metadata.data ?? 'hash', reason: 'invalid_format' }]);
    }
    return value;
  }
}
