import { type FieldFault, InvalidParameterError } from '../../../../common/errors/validation.errors';

/**
 * @param field the path as Anthropic writes it, such as `messages.0.content.1`
 * @throws InvalidParameterError
 */
export function refuseIf(isFault: boolean, field: string, reason: string, values?: FieldFault['values']): void {
  if (isFault) {
    throw new InvalidParameterError([{ field, reason, ...(values && { values }) }]);
  }
}
