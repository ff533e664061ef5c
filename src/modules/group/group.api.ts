/** The exports of this module for other modules. */
export { GroupModule } from './group.module';
export { type Group } from './groups/group.entity';
export { GroupNotFoundError } from './groups/group.errors';
export { GroupQuery } from './groups/group.query';
export { GroupStore } from './groups/group.store';
export { GroupMemberships, MEMBERS_OF_GROUP, MEMBERS_OF_GROUPS } from './groups/group-memberships';
