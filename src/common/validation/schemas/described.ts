import { description, examples, type GenericSchema, pipe } from 'valibot';

/** Adds the documentation of a field. */
// The type of the result is long, and the compiler knows it.
// oxlint-disable-next-line typescript/explicit-function-return-type
export function described<const Schema extends GenericSchema>(schema: Schema, text: string, example?: unknown) {
  return pipe(schema, description(text), examples(example === undefined ? [] : [example as never]));
}
