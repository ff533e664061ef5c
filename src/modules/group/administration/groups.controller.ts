import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { UserNotFoundError } from '../../user/user.api';
import {
  GroupInUseError,
  GroupManagedError,
  GroupNameTakenError,
  GroupNotFoundError,
  MemberManagedError,
  MemberNotFoundError,
} from '../groups/group.errors';
import {
  AddGroupMemberDto,
  CreateGroupDto,
  DeletedGroupDto,
  GroupDto,
  GroupMemberDto,
  ListGroupsQueryDto,
  RemovedGroupMemberDto,
  UpdateGroupDto,
} from './group.dto';
import { GroupAdministrationService } from './group-administration.service';

@ApiTags('Groups')
@AdminOnly()
@Enveloped()
@Controller('admin/groups')
export class GroupsController {
  constructor(private readonly groups: GroupAdministrationService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.groups.list',
    summary: 'List groups',
    description: 'Returns groups in alphabetical order.',
  })
  @EnvelopedPageResponse(GroupDto)
  list(@Query() query: ListGroupsQueryDto): Promise<Page<GroupDto>> {
    return this.groups.list(query);
  }

  @Post()
  @KeyScope('admin:write')
  @Enveloped('messages.group_created')
  @ApiOperation({
    operationId: 'admin.groups.create',
    summary: 'Create a group',
    description:
      'The group has no members yet. To open agents to it, set `access_level: groups` and `group_ids` on ' + 'them.',
  })
  @EnvelopedResponse(GroupDto, { status: 201 })
  @ApiErrors(GroupNameTakenError)
  create(@Body() body: CreateGroupDto): Promise<GroupDto> {
    return this.groups.create(body);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.groups.read',
    summary: 'Retrieve a group',
    description: 'Includes the number of members.',
  })
  @EnvelopedResponse(GroupDto)
  @ApiErrors(GroupNotFoundError)
  get(@Param('id', IdPipe) id: number): Promise<GroupDto> {
    return this.groups.get(id);
  }

  @Put(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.group_updated')
  @ApiOperation({
    operationId: 'admin.groups.update',
    summary: 'Update a group',
    description: 'Fields that you omit stay unchanged. A group from a directory is renamed in the directory.',
  })
  @EnvelopedResponse(GroupDto)
  @ApiErrors(GroupNotFoundError, GroupNameTakenError, GroupManagedError)
  update(@Param('id', IdPipe) id: number, @Body() body: UpdateGroupDto): Promise<GroupDto> {
    return this.groups.update(id, body);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.group_deleted')
  @ApiOperation({
    operationId: 'admin.groups.remove',
    summary: 'Delete a group',
    description:
      'The members keep their accounts. Agents that were open to the group stay open to their other groups, ' +
      'or only to administrators if there are none.',
  })
  @EnvelopedResponse(DeletedGroupDto)
  @ApiErrors(GroupNotFoundError, GroupInUseError)
  remove(@CurrentContext() { principal }: RequestContext, @Param('id', IdPipe) id: number): Promise<DeletedGroupDto> {
    return this.groups.remove(principal.userId, id);
  }

  @Get(':id/members')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.groups.listMembers',
    summary: 'List group members',
    description: 'Returns members in the order of their ids, with the source of each membership.',
  })
  @EnvelopedPageResponse(GroupMemberDto)
  @ApiErrors(GroupNotFoundError)
  members(@Param('id', IdPipe) id: number, @Query() query: PageQueryDto): Promise<Page<GroupMemberDto>> {
    return this.groups.members(id, query);
  }

  @Post(':id/members')
  @KeyScope('admin:write')
  @Enveloped('messages.group_member_added')
  @ApiOperation({
    operationId: 'admin.groups.addMember',
    summary: 'Add a group member',
    description:
      'Takes effect with the next request, within five seconds on every instance. Identity providers do not ' +
      'remove this membership.',
  })
  @EnvelopedResponse(GroupMemberDto, { status: 201 })
  @ApiErrors(GroupNotFoundError, UserNotFoundError)
  add(@Param('id', IdPipe) id: number, @Body() { user_id }: AddGroupMemberDto): Promise<GroupMemberDto> {
    return this.groups.add(id, user_id);
  }

  @Delete(':id/members/:user_id')
  @KeyScope('admin:write')
  @Enveloped(({ is_member }: RemovedGroupMemberDto) =>
    is_member ? 'messages.group_member_stays' : 'messages.group_member_removed',
  )
  @ApiOperation({
    operationId: 'admin.groups.removeMember',
    summary: 'Remove a group member',
    description:
      'Removes a membership that an administrator granted. Memberships from an identity provider or SCIM are ' +
      'changed there.',
  })
  @EnvelopedResponse(RemovedGroupMemberDto)
  @ApiErrors(GroupNotFoundError, MemberNotFoundError, MemberManagedError)
  removeMember(
    @Param('id', IdPipe) id: number,
    @Param('user_id', IdPipe) userId: number,
  ): Promise<RemovedGroupMemberDto> {
    return this.groups.removeMember(id, userId);
  }
}
