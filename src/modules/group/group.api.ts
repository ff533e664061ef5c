/** What other modules may use of this one. */
export { GroupModule } from './group.module';
export { groupAudit, groupMemberAudit } from './groups/group.audit';
export { type Group, type GroupManager, groupNameKey } from './groups/group.entity';
export { GroupNameTakenError, GroupNotFoundError } from './groups/group.errors';
export { GroupQuery } from './groups/group.query';
export { type GroupFields, GroupStore } from './groups/group.store';
export { type MemberSource } from './groups/group-member.entity';
export { GroupMemberships, MEMBERS_OF_GROUP, MEMBERS_OF_GROUPS } from './groups/group-memberships';
