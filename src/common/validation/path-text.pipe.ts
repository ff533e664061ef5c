import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../errors/validation.errors';

/** Reads a path parameter that is a name. A text that is longer than any such name is 400. */
@Injectable()
export class PathTextPipe implements PipeTransform<string, string> {
  /** @param longest in UTF-16 units */
  constructor(private readonly longest: number) {}

  transform(value: string, metadata: ArgumentMetadata): string {
    if (value.length > this.longest) {
      throw new InvalidParameterError([{ field: metadata.data ?? 'name', reason: 'too_long' }]);
    }
    return value;
  }
}
