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

@ApiTags('Admin: users')
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
    summary: 'Find users',
    description:
      'With their usage and last activity. `status=closed` lists closed accounts. The columns of the file are the fields without `avatar`.',
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
      'The address counts as confirmed. Works while registration is switched off, and for every domain. With ' +
      '`user_type: service` it is an account for programs, without address and password.',
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
    summary: 'Read a user',
    description: 'With counts and the last activity, as in the list.',
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
    summary: 'Change a user',
    description:
      'Changes the given fields only; null removes a quota, a note or an end. It counts from the user’s next request.',
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
    summary: 'Close an account',
    description:
      'As its owner would: access ends at once, the content is erased after ACCOUNT_ERASE_DAYS. Until then the account ' +
      'can be opened again.',
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
    summary: 'What a user has used',
    description: 'In total and on each UTC day of the period. `format=csv` gives a file of the days.',
  })
  @EnvelopedResponse(UserUsageDto, {
    description: 'Usage of the user; with `format=csv` the days as `text/csv`.',
    otherContent: USAGE_CSV,
  })
  @ApiErrors(UserNotFoundError)
  usage(@Param('id', IdPipe) id: number, @Query() query: UserUsageQueryDto): Promise<UserUsageDto | StreamableFile> {
    return this.statistics.usageOfUser(id, query);
  }
}
