import { type GenericSchema, safeParse } from 'valibot';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import { schemaFault } from '../../../../common/validation/schemas/schema.pipe';
import { requireWellFormed } from '../../../../common/validation/well-formed';
import { checkMessages } from './check-messages';
import type { CountRequest } from './message-request.schema';
import { refuseIf } from './refuse-if';

/** Parses and checks a request. @throws InvalidParameterError with the path as Anthropic writes it: `messages.0.content.1` */
export function readRequest<Request extends CountRequest>(
  schema: GenericSchema<unknown, Request>,
  body: object,
): Request {
  requireWellFormed(body);
  const { success, output, issues } = safeParse(schema, body, { abortEarly: true });
  if (!success) {
    const fault = schemaFault(issues[0]);
    throw new InvalidParameterError([{ ...fault, field: fault.field.replace(/\[(\d+)\]/g, '.$1') }]);
  }
  // The client then runs its own check.
  refuseIf('safeguards' in body && body.safeguards !== null, 'safeguards', 'not_allowed');
  checkMessages(output.messages);
  return output;
}
