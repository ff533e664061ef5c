import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import {
  fact,
  integer,
  optionalInstant,
  optionalInteger,
  personal,
  text,
  textList,
} from '../../../common/events/event-fields';
import type { ApiKeyEntity } from './api-key.entity';

const fields = {
  user_id: fact(integer('Id of the owner.')),
  api_key_id: fact(integer('Id of the API key.')),
  name: personal(text('Name of the key.')),
  scopes: fact(textList('Scopes of the key.')),
  expires_at: fact(optionalInstant('When the key expires; null if never.')),
};

const example = {
  user_id: 7,
  api_key_id: 3,
  name: 'Nightly report',
  scopes: ['chat:read', 'usage:read'],
  expires_at: '2027-01-31T00:00:00.000Z',
};

const created = defineEvent('api_key.created', {
  description: 'An API key was created.',
  fields: { ...fields, created_by: fact(integer('Id of the user who created it: the owner or an administrator.')) },
  example: { ...example, created_by: 7 },
});

const revoked = defineEvent('api_key.revoked', {
  description: 'An API key was revoked.',
  fields: {
    ...fields,
    revoked_by: fact(optionalInteger('Id of the user who revoked it: the owner or an administrator; null if unknown.')),
  },
  example: { ...example, revoked_by: 7 },
});

export const API_KEY_EVENTS = [created, revoked];

export const apiKeyCreated = (key: ApiKeyEntity): DomainEvent =>
  created(key.userId, { ...dataOf(key), created_by: key.createdBy });

export const apiKeyRevoked = (key: ApiKeyEntity, revokedBy: number): DomainEvent =>
  revoked(key.userId, { ...dataOf(key), revoked_by: revokedBy });

function dataOf({ id, userId, name, scopes, expiresAt }: ApiKeyEntity): DataOf<typeof fields> {
  return { user_id: userId, api_key_id: id, name, scopes, expires_at: expiresAt?.toISOString() ?? null };
}
