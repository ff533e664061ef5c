import { type DataOf, defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, optionalInteger, type Schema, text } from '../../common/events/event-fields';
import { GUARD_STAGES } from './guards/guard.entity';

const typeCounts: Schema<Record<string, number>> = {
  type: 'object',
  description: 'What the guard found, and how often.',
};

const fields = {
  guard_id: fact(integer('Id of the guard.')),
  name: fact(text('Name of the guard.')),
  stage: fact(choice(GUARD_STAGES, 'Where it checked the text.')),
  types: fact(typeCounts),
  chat_id: fact(optionalInteger('Id of the conversation; null: there is none.')),
  message_id: fact(optionalInteger('Id of the reply; null: there is none yet.')),
};

export type GuardEventData = DataOf<typeof fields>;

const example: GuardEventData = {
  guard_id: 1,
  name: 'personal-data',
  stage: 'input',
  types: { CREDIT_CARD: 1 },
  chat_id: 5,
  message_id: null,
};

export const guardBlocked = defineEvent('guard.blocked', {
  description: 'A guard blocked a text.',
  fields,
  example,
});

export const guardReported = defineEvent('guard.reported', {
  description: 'A guard with the mode `report` found something in a text.',
  fields,
  example,
});

export const guardFailing = defineEvent('guard.failing', {
  description: 'A guard failed repeatedly, so calls to it pause; sent once per outage.',
  fields,
  example: { ...example, types: {} },
});

export const GUARD_EVENTS = [guardBlocked, guardReported, guardFailing];
