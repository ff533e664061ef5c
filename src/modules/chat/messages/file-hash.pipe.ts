import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';

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
