import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import { fact, integer, optionalText } from '../../../common/events/event-fields';
import type { SessionEntity } from './session.entity';

const fields = {
  user_id: fact(integer('Id of the user.')),
  session_id: fact(integer('Id of the session.')),
  client_id: fact(optionalText('`client_id` that the program sent; null if none.')),
  surface: fact(optionalText('Kind of program, as it named itself; null if unknown.')),
};

const example = { user_id: 7, session_id: 12, client_id: 'chat-service-client', surface: 'cli' };

const approved = defineEvent('device.approved', {
  description: 'A user approved the sign-in of a command-line program.',
  fields,
  example,
});

const revoked = defineEvent('device.revoked', {
  description: 'The session of a command-line program was ended.',
  fields,
  example,
});

export const DEVICE_EVENTS = [approved, revoked];

type Subject = Pick<SessionEntity, 'id' | 'userId' | 'clientId' | 'surface'>;

export const deviceApproved = (session: Subject): DomainEvent => approved(session.userId, dataOf(session));

export const deviceRevoked = (session: Subject): DomainEvent => revoked(session.userId, dataOf(session));

function dataOf({ id, userId, clientId, surface }: Subject): DataOf<typeof fields> {
  return { user_id: userId, session_id: id, client_id: clientId, surface };
}
