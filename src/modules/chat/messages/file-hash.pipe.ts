import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';

/** The parameter in the documentation. */
export const FILE_HASH = {
  name: 'hash',
  description: 'The `hash` of the part.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$', maxLength: 64 },
  example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} as const;

/** Reads a path parameter that names a file: SHA-256 in 64 hexadecimal digits of lower case. Anything else is 400. */
@Injectable()
export class FileHashPipe implements PipeTransform<string, string> {
  transform(value: string, metadata: ArgumentMetadata): string {
    if (!/^[0-9a-f]{64}$/.test(value)) {
      throw new InvalidParameterError([{ field: metadata.data ?? 'hash', reason: 'invalid_format' }]);
    }
    return value;
  }
}
