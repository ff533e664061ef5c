import { Body, type PipeTransform } from '@nestjs/common';
import { type BaseIssue, type GenericSchema, safeParse } from 'valibot';
import { type FieldFault, InvalidParameterError, type ValidationFailedError } from '../../errors/validation.errors';
import { allowedValues } from '../allowed-values';

/** The failure of an invalid body: 400 as in the third-party APIs, or 422 as in the native API. */
export type SchemaFailure = typeof InvalidParameterError | typeof ValidationFailedError;

/** Parses a body by a schema. The schema drops unknown fields. */
export class SchemaPipe<Output> implements PipeTransform<unknown, Output> {
  constructor(
    private readonly schema: GenericSchema<unknown, Output>,
    private readonly failure: SchemaFailure = InvalidParameterError,
  ) {}

  /** @throws InvalidParameterError or ValidationFailedError for the first fault */
  transform(value: unknown): Output {
    const { success, output, issues } = safeParse(this.schema, value, { abortEarly: true });
    if (success) {
      return output;
    }
    throw new this.failure([schemaFault(issues[0])]);
  }
}

/** Tokens of broken rules by valibot's name of the action. A `check` has its own token as its message. */
const REASONS: Record<string, string> = {
  min_length: 'too_short',
  max_length: 'too_long',
  min_value: 'too_small',
  max_value: 'too_large',
  integer: 'wrong_type',
  regex: 'invalid_format',
  url: 'invalid_url',
};

const LIST_REASONS: Record<string, string> = { min_length: 'too_few_items', max_length: 'too_many_items' };

/** Schemas that allow only some values of a type. */
const CHOICES = ['literal', 'picklist', 'enum', 'variant'];

/** The path of a fault in a body, such as `messages[0].content[1].type`, and the broken rule. */
export function schemaFault(issue: BaseIssue<unknown>): FieldFault {
  const { path, cause } = innermost(issue);
  const reason = reasonOf(cause);
  return { field: fieldOf(path), reason, values: valuesOf(cause, reason) };
}

function valuesOf({ requirement, expected }: BaseIssue<unknown>, reason: string): FieldFault['values'] {
  if (reason === 'not_allowed') {
    // An issue lists the choices only as text: `("low" | "high")`.
    return allowedValues(expected?.replace(/[()"]/g, '').split(' | '));
  }
  return typeof requirement === 'number' ? { minimum: requirement, maximum: requirement } : {};
}

/**
 * A value that fits none of several forms has the faults of each. The reported fault is that of the form whose fault is
 * nested the deepest, because the value fits that form at the outer levels; otherwise a fault of a form with the type
 * of the value.
 */
function innermost(issue: BaseIssue<unknown>, before: unknown[] = []): { path: unknown[]; cause: BaseIssue<unknown> } {
  const path = [...before, ...(issue.path ?? []).map(({ key }) => key)];
  const [deepest] = (issue.issues ?? [])
    .map((inner) => innermost(inner, path))
    .sort((one, other) => other.path.length - one.path.length);
  if (deepest !== undefined && deepest.path.length > path.length) {
    return deepest;
  }
  return { path, cause: issue.issues?.find(isOfType) ?? issue };
}

/** Whether the type is right and only the value is wrong. */
function isOfType({ kind, type, input }: BaseIssue<unknown>): boolean {
  return kind === 'validation' || (type === 'picklist' && typeof input === 'string');
}

function reasonOf({ kind, type, input, expected, message }: BaseIssue<unknown>): string {
  if (kind === 'validation') {
    return (Array.isArray(input) ? LIST_REASONS[type] : undefined) ?? REASONS[type] ?? message;
  }
  if (input === undefined || input === null) {
    return 'required';
  }
  // A value that is not an object has the wrong type, even if variants are expected.
  return CHOICES.includes(type) && expected !== 'Object' ? 'not_allowed' : 'wrong_type';
}

function fieldOf(path: unknown[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text.replace(/^\./, '') || 'body';
}

/**
 * Passes the body of the request to a handler, parsed by a schema of valibot. For bodies whose fields have several
 * forms, which the decorators of a class cannot express. The type of the parameter is `InferOutput` of the schema.
 * `ApiSchemaBody` documents it.
 *
 * @param failure default: 400, as in the third-party APIs
 */
export const SchemaBody = (schema: GenericSchema, failure?: SchemaFailure): ParameterDecorator =>
  Body(new SchemaPipe(schema, failure));
