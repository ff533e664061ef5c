import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../errors/validation.errors';

/** Parses a path parameter that must be an id: a whole number from 1 to 2^53 - 1. Anything else is 400. */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(value: string, metadata: ArgumentMetadata): number {
    const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : NaN;
    if (!Number.isSafeInteger(id)) {
      throw new InvalidParameterError([{ field: metadata.data ?? 'id', reason: 'invalid_format' }]);
    }
    return id;
  }
}
