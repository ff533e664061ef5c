import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, flag, integer } from '../../common/events/event-fields';
import { HOLD_SCOPES } from '../hold/hold.api';

const fields = {
  id: fact(integer('Id of the legal hold.')),
  scope: fact(choice(HOLD_SCOPES, 'Whether it covers a user, a conversation or the members of a group.')),
  scope_id: fact(integer('Id of the user, conversation or group.')),
};

const example = { id: 4, scope: 'user' as const, scope_id: 42 };

export const holdCreated = defineEvent('hold.created', {
  description: 'An administrator created a legal hold.',
  fields,
  example,
});

export const holdReleased = defineEvent('hold.released', {
  description: 'A legal hold ended.',
  fields: { ...fields, expired: fact(flag('Whether it expired. False if an administrator released it.')) },
  example: { ...example, expired: false },
});

export const HOLD_EVENTS = [holdCreated, holdReleased];
