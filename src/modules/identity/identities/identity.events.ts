import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import { fact, integer, personal, text } from '../../../common/events/event-fields';
import type { IdentityEntity } from './identity.entity';

const fields = {
  user_id: fact(integer('Id of the account.')),
  identity_id: fact(integer('Id of the identity.')),
  issuer: fact(text('Issuer of the identity provider.')),
  subject: personal(text('Subject of the person at the provider.')),
};

const example = {
  user_id: 7,
  identity_id: 3,
  issuer: 'https://login.example.com',
  subject: '248289761001',
};

const linked = defineEvent('identity.linked', {
  description: 'An identity was linked to an account.',
  fields,
  example,
});

const unlinked = defineEvent('identity.unlinked', {
  description: 'An identity was unlinked from an account.',
  fields,
  example,
});

export const IDENTITY_EVENTS = [linked, unlinked];

type Subject = Pick<IdentityEntity, 'id' | 'userId' | 'issuer' | 'subject'>;

export const identityLinked = (identity: Subject): DomainEvent => linked(identity.userId, dataOf(identity));

export const identityUnlinked = (identity: Subject): DomainEvent => unlinked(identity.userId, dataOf(identity));

function dataOf({ id, userId, issuer, subject }: Subject): typeof example {
  return { user_id: userId, identity_id: id, issuer, subject: subject ?? '' };
}
