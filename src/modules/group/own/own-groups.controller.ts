import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { partOfWhole, setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { WholeListQueryDto } from '../../../common/envelope/whole-list-query.dto';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { GroupQuery } from '../groups/group.query';
import { GroupMemberships } from '../groups/group-memberships';
import { OwnGroupDto } from './own-group.dto';

/** The groups of the caller, with which collections can be shared. */
@ApiTags('Groups')
@Authenticated()
@KeyScope('knowledge:read')
@Controller('user/groups')
export class OwnGroupsController {
  constructor(
    private readonly groups: GroupQuery,
    private readonly memberships: GroupMemberships,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'user.groups.list',
    summary: 'List your groups',
    description: 'Returns the groups that you belong to, oldest first. Returns all of them unless you set `limit`.',
  })
  @ApiOkResponse({ type: [OwnGroupDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: WholeListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnGroupDto[]> {
    const names = await this.groups.namesOf(await this.memberships.groupIdsOf(principal.userId));
    const all = [...names].map(([id, name]) => ({ id, name })).sort((one, other) => one.id - other.id);
    return setTotalCount(response, partOfWhole(all, query));
  }
}
