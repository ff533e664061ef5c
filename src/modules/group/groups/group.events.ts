import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import { choice, fact, integer, text } from '../../../common/events/event-fields';
import { type Group, GROUP_MANAGERS } from './group.entity';
import type { MemberSource } from './group-member.entity';

const fields = {
  user_id: fact(integer('Id of the user.')),
  group_id: fact(integer('Id of the group.')),
  group_name: fact(text('Name of the group.')),
  source: fact(choice(GROUP_MANAGERS, 'Source that added or removed the membership.')),
};

const example = { user_id: 7, group_id: 3, group_name: 'Engineering', source: 'admin' } as const;

const added = defineEvent('group.member_added', {
  description: 'A user was added to a group.',
  fields,
  example,
});

const removed = defineEvent('group.member_removed', {
  description: 'A user was removed from a group.',
  fields,
  example,
});

export const GROUP_EVENTS = [added, removed];

export const memberAdded = (group: Group, userId: number, source: MemberSource): DomainEvent =>
  added(userId, dataOf(group, userId, source));

export const memberRemoved = (group: Group, userId: number, source: MemberSource): DomainEvent =>
  removed(userId, dataOf(group, userId, source));

function dataOf(group: Group, userId: number, { kind }: MemberSource): DataOf<typeof fields> {
  return { user_id: userId, group_id: group.id, group_name: group.name, source: kind };
}
