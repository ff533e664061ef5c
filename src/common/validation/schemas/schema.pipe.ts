import type { PipeTransform } from '@nestjs/common';
import { type GenericSchema, safeParse } from 'valibot';
import { InvalidParameterError } from '../../errors/validation.errors';
import { schemaFault } from './schema-faults';

/** Parses a body by a schema. The schema drops unknown fields. */
export class SchemaPipe<Output> implements PipeTransform<unknown, Output> {
  constructor(private readonly schema: GenericSchema<unknown, Output>) {}

  /** @throws InvalidParameterError for the first fault: 400, as in the third-party APIs */
  transform(value: unknown): Output {
    const { success, output, issues } = safeParse(this.schema, value, { abortEarly: true });
    if (success) {
      return output;
    }
    throw new InvalidParameterError([schemaFault(issues[0])]);
  }
}
