import {
  choice,
  type EventKinds,
  type FieldSchema,
  instant,
  integer,
  optionalInstant,
  optionalText,
  text,
} from './event-kind';

const user: Record<string, FieldSchema> = {
  user_id: integer('The user.'),
  username: text('Name of the user.'),
  user_type: choice(['normal', 'admin'], 'What the user may do.'),
};

const membership: Record<string, FieldSchema> = {
  ...user,
  membership_type: choice(['free', 'monthly', 'yearly'], 'The plan.'),
  membership_expires_at: optionalInstant('End of the plan; null for one without end.'),
};

const exampleUser = { user_id: 7, username: 'grace', user_type: 'normal' };

/** Accounts and their memberships. */
export const USER_EVENT_KINDS: EventKinds = {
  'user.registered': { description: 'An account was created.', fields: user, example: exampleUser },
  'user.updated': {
    description: 'Fields of an account or profile were changed.',
    fields: { ...user, changed: { type: 'array', items: { type: 'string' }, description: 'Names of the fields.' } },
    example: { ...exampleUser, changed: ['username', 'bio'] },
  },
  'user.deleted': { description: 'An account was closed.', fields: user, example: exampleUser },
  'user.restored': {
    description: 'A closed account was opened again before its content was erased.',
    fields: user,
    example: exampleUser,
  },
  'user.banned': {
    description: 'An account was banned.',
    fields: {
      ...user,
      reason: optionalText('Why, as the administrator put it.'),
      banned_until: optionalInstant('End of the ban; null for one without end.'),
    },
    example: { ...exampleUser, reason: 'spam', banned_until: '2026-03-01T00:00:00.000Z' },
  },
  'user.unbanned': { description: 'The ban of an account was lifted.', fields: user, example: exampleUser },
  'membership.upgraded': {
    description: 'A membership was bought, given or prolonged.',
    fields: membership,
    example: { ...exampleUser, membership_type: 'monthly', membership_expires_at: '2026-02-28T09:30:00.000Z' },
  },
  'membership.expired': {
    description: 'A paid membership has ended; the data name the plan that ended.',
    fields: membership,
    example: { ...exampleUser, membership_type: 'monthly', membership_expires_at: '2026-02-28T09:30:00.000Z' },
  },
};

/** Usage limits and the webhooks themselves. */
export const SERVICE_EVENT_KINDS: EventKinds = {
  'quota.exceeded': {
    description: 'A user reached a limit of the plan for the day; told once a day and limit.',
    fields: {
      user_id: integer('The user.'),
      quota: choice(['messages', 'tokens'], 'Which limit.'),
      limit: integer('The limit.'),
      used: integer('What was used today.'),
      resets_at: instant('When the limit starts anew.'),
    },
    example: { user_id: 7, quota: 'messages', limit: 50, used: 50, resets_at: '2026-02-01T00:00:00.000Z' },
  },
  'webhook.test': {
    description: 'The owner asked for a test; sent to that endpoint alone, whatever it has subscribed to.',
    fields: { webhook_id: integer('The endpoint.') },
    example: { webhook_id: 3 },
  },
  'webhook.disabled': {
    description: 'Deliveries to an endpoint were given up; sent to the other endpoints.',
    fields: {
      webhook_id: integer('The endpoint that was disabled.'),
      url: text('Its URL.'),
      reason: choice(['gone', 'failing'], 'It answered 410, or failed for five days.'),
      disabled_at: instant('When.'),
    },
    example: {
      webhook_id: 3,
      url: 'https://hooks.example.com/chat',
      reason: 'failing',
      disabled_at: '2026-02-05T09:30:00.000Z',
    },
  },
};
