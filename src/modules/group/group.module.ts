import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { AgentModule } from '../agent/agent.api';
import { HoldModule } from '../hold/hold.api';
import { UserModule } from '../user/user.api';
import { GroupAdministrationService } from './administration/group-administration.service';
import { GroupsController } from './administration/groups.controller';
import { GroupPersonalData } from './group.personal-data';
import { groupAudit, groupMemberAudit } from './groups/group.audit';
import { GroupEntity } from './groups/group.entity';
import { GROUP_EVENTS } from './groups/group.events';
import { GroupQuery } from './groups/group.query';
import { GroupStore } from './groups/group.store';
import { GroupMemberEntity } from './groups/group-member.entity';
import { GroupMemberships } from './groups/group-memberships';
import { OwnGroupsController } from './own/own-groups.controller';

/**
 * Groups of users, for which agents can be opened.
 *
 * - `groups/` has the tables and the rules. `GroupMemberships` manages memberships and their sources.
 * - `administration/` has the routes for administrators, `own/` those for members.
 */
@Feature({
  folder: __dirname,
  groups: { Groups: 'Groups of users that agents are opened to and collections are shared with.' },
  events: GROUP_EVENTS,
  audits: [groupAudit, groupMemberAudit],
  imports: [TypeOrmModule.forFeature([GroupEntity, GroupMemberEntity]), AgentModule, HoldModule, UserModule],
  controllers: [GroupsController, OwnGroupsController],
  providers: [GroupAdministrationService, GroupMemberships, GroupPersonalData, GroupQuery, GroupStore],
  exports: [GroupMemberships, GroupQuery, GroupStore],
})
export class GroupModule {}
