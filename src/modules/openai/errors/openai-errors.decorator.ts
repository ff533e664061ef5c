import type { DocumentedFailure } from '../../../common/errors/api-error';
import { declaredErrors } from '../../../common/errors/api-errors.decorator';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import { OPENAI_ERRORS } from './openai-error-dialect';

/**
 * Describes the errors of one route in OpenAI's format.
 *
 * @param route the path below the prefix, such as `chat/completions`
 */
export const OpenAiErrors = (route: string, ...failures: DocumentedFailure[]): MethodDecorator & ClassDecorator =>
  declaredErrors(OPENAI_ERRORS, `/${OPENAI_PREFIX}/${route}`, failures);

/**
 * Describes the validation errors of a body, each with its own code.
 *
 * @param field an example parameter of that body
 */
export const bodyFaults = (field: string): DocumentedFailure[] =>
  ['required', 'wrong_type', 'not_allowed'].map((reason) => new InvalidParameterError([{ field, reason }]));
