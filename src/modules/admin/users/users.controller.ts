import { Body, Controller, Delete, Get, Param, Post, Put, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  EmailAlreadyRegisteredError,
  LastAdminError,
  UsernameTakenError,
  UserNotFoundError,
} from '../../user/user.api';
import { StatisticsService } from '../statistics/statistics.service';
import { USER_USAGE_FIELDS, UserUsageDto, UserUsageQueryDto } from '../statistics/usage-statistics.dto';
import { ADMIN_USER_FIELDS, AdminUserDto } from './admin-user.dto';
import { ClosedUserDto } from './closed-user.dto';
import { CreateUserDto } from './create-user.dto';
import { ListUsersQueryDto } from './list-users.dto';
import { UpdateUserDto } from './update-user.dto';
import { UserAdministrationService } from './user-administration.service';
import { UserDirectoryService } from './user-directory.service';

const CSV = csvContent(ADMIN_USER_FIELDS);

const USAGE_CSV = csvContent(USER_USAGE_FIELDS);

@ApiTags('People')
@AdminOnly()
@Enveloped()
@Controller('admin/users')
export class UsersController {
  constructor(
    private readonly directory: UserDirectoryService,
    private readonly users: UserAdministrationService,
    private readonly statistics: StatisticsService,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.users.list',
    summary: 'List users',
    description:
      'Returns users with their usage and last activity; `status=closed` returns closed accounts. In the CSV ' +
      'file, the columns are the fields without `avatar`.',
  })
  @EnvelopedPageResponse(AdminUserDto, { otherContent: CSV })
  list(@Query() query: ListUsersQueryDto): Promise<Page<AdminUserDto> | StreamableFile> {
    return this.directory.find(query);
  }

  @Post()
  @KeyScope('admin:write')
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.user_created')
  @ApiOperation({
    operationId: 'admin.users.create',
    summary: 'Create a user',
    description:
      'The address counts as verified, and works even if registration is closed or limited to other domains. ' +
      '`user_type: service` creates an account for programs, without an address or a password.',
  })
  @EnvelopedResponse(AdminUserDto, { status: 201 })
  @ApiErrors(EmailAlreadyRegisteredError, UsernameTakenError)
  create(@Body() body: CreateUserDto): Promise<AdminUserDto> {
    return this.users.create(body);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.users.read',
    summary: 'Retrieve a user',
    description: 'Returns the fields of the list, with counts and the last activity.',
  })
  @EnvelopedResponse(AdminUserDto)
  @ApiErrors(UserNotFoundError)
  get(@Param('id', IdPipe) id: number): Promise<AdminUserDto> {
    return this.users.get(id);
  }

  @Put(':id')
  @KeyScope('admin:write')
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.user_updated')
  @ApiOperation({
    operationId: 'admin.users.update',
    summary: 'Update a user',
    description:
      'Changes only the fields that you send; null removes a quota, a note or an end. Takes effect with the ' +
      'next request of the user.',
  })
  @EnvelopedResponse(AdminUserDto)
  @ApiErrors(UserNotFoundError, UsernameTakenError, LastAdminError)
  update(@Param('id', IdPipe) id: number, @Body() body: UpdateUserDto): Promise<AdminUserDto> {
    return this.users.update(id, body);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.user_deleted')
  @ApiOperation({
    operationId: 'admin.users.close',
    summary: 'Close a user account',
    description:
      'Access ends at once, and the content is erased after `ACCOUNT_ERASE_DAYS`. Until then, the account can ' +
      'be restored.',
  })
  @EnvelopedResponse(ClosedUserDto, { description: 'When the content is erased.' })
  @ApiErrors(UserNotFoundError, LastAdminError)
  close(@Param('id', IdPipe) id: number): Promise<ClosedUserDto> {
    return this.users.close(id);
  }

  @Get(':id/usage')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.users.usage',
    summary: 'Retrieve the usage of a user',
    description: 'Returns the total and each UTC day of the period. `format=csv` returns a file of the days.',
  })
  @EnvelopedResponse(UserUsageDto, {
    description: 'Usage of the user; with `format=csv`, the days as `text/csv`.',
    otherContent: USAGE_CSV,
  })
  @ApiErrors(UserNotFoundError)
  usage(@Param('id', IdPipe) id: number, @Query() query: UserUsageQueryDto): Promise<UserUsageDto | StreamableFile> {
    return this.statistics.usageOfUser(id, query);
  }
}
