import { Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { PROVIDER_NAME } from './provider-fields.dto';

/** Reads a path parameter that names a provider: by its id, or by its name, which never begins with a digit. */
@Injectable()
export class ProviderReferencePipe implements PipeTransform<string, number | string> {
  transform(value: string): number | string {
    const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : NaN;
    if (Number.isSafeInteger(id)) {
      return id;
    }
    if (!PROVIDER_NAME.test(value)) {
      throw new InvalidParameterError([{ field: 'id', reason: 'invalid_format' }]);
    }
    return value;
  }
}
