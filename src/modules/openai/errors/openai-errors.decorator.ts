import type { DocumentedFailure } from '../../../common/errors/api-error';
import { apiErrorsIn } from '../../../common/errors/api-errors.decorator';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { OPENAI_PREFIX } from '../openai-prefix';
import { OPENAI_ERRORS } from './openai-error-dialect';

/**
 * Documents the failures of one route in OpenAI's form.
 *
 * @param route below the prefix, such as `chat/completions`
 */
export const OpenAiErrors = (route: string, ...failures: DocumentedFailure[]): MethodDecorator & ClassDecorator =>
  apiErrorsIn(OPENAI_ERRORS, `/${OPENAI_PREFIX}/${route}`, failures);

/** Documents broken rules of a body, each with a code of its own. @param field a parameter of that body */
export const bodyFaults = (field: string): DocumentedFailure[] =>
  ['required', 'wrong_type', 'not_allowed'].map((reason) => new InvalidParameterError([{ field, reason }]));
