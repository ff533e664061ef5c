import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  RetentionExistsError,
  RetentionNotFoundError,
  RetentionPausedError,
  RetentionRunningError,
} from '../retention.errors';
import { RetentionSweeper } from '../sweeping/retention-sweeper';
import {
  DeletedRetentionPolicyDto,
  RetentionPolicyDto,
  RetentionPreviewDto,
  RetentionSweepDto,
  StartedSweepDto,
} from './retention.dto';
import { RetentionAdministrationService } from './retention-administration.service';
import {
  CreateRetentionPolicyDto,
  ListRetentionPoliciesQueryDto,
  PreviewRetentionDto,
  UpdateRetentionPolicyDto,
} from './retention-body.dto';

@ApiTags('Retention')
@AdminOnly()
@Enveloped()
@Controller('admin/retention')
export class RetentionController {
  constructor(
    private readonly retention: RetentionAdministrationService,
    private readonly sweeper: RetentionSweeper,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.retention.list',
    summary: 'List retention policies',
    description: 'Returns the policies, oldest first. Without a policy, the defaults in the documentation apply.',
  })
  @EnvelopedPageResponse(RetentionPolicyDto)
  list(@Query() query: ListRetentionPoliciesQueryDto): Promise<Page<RetentionPolicyDto>> {
    return this.retention.list(query);
  }

  @Post()
  @NoKeys()
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.retention.create',
    summary: 'Create a retention policy',
    description:
      'A policy of a group overrides that of the service. If a user is in several groups, the longest period applies. ' +
      'A longer period takes effect at once, a shorter one in 24 hours or at `effective_at`.',
  })
  @EnvelopedResponse(RetentionPolicyDto, { status: HttpStatus.CREATED })
  @ApiErrors(RetentionExistsError)
  create(@Body() body: CreateRetentionPolicyDto): Promise<RetentionPolicyDto> {
    return this.retention.create(body);
  }

  @Post('preview')
  @HttpCode(HttpStatus.OK)
  @NoKeys()
  @Audited('retention.preview', 'retention')
  @ApiOperation({
    operationId: 'admin.retention.preview',
    summary: 'Preview a retention sweep',
    description:
      'Counts what a sweep would delete now, and deletes nothing. Policies in the body replace the stored ones ' +
      'and count as in force.',
  })
  @EnvelopedResponse(RetentionPreviewDto)
  preview(@Body() { policies }: PreviewRetentionDto): Promise<RetentionPreviewDto> {
    return this.retention.previewOf(policies);
  }

  @Post('run')
  @HttpCode(HttpStatus.OK)
  @NoKeys()
  @Audited('retention.run', 'retention')
  @Enveloped('messages.retention_started')
  @ApiOperation({
    operationId: 'admin.retention.run',
    summary: 'Start a retention sweep',
    description: 'The sweep runs in the background. `GET /admin/retention/sweeps` shows its progress and its result.',
  })
  @EnvelopedResponse(StartedSweepDto)
  @ApiErrors(RetentionRunningError, RetentionPausedError)
  async run(@CurrentContext() { principal }: RequestContext): Promise<StartedSweepDto> {
    return { sweep_id: await this.sweeper.start(principal.userId) };
  }

  @Get('sweeps')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.retention.sweeps',
    summary: 'List retention sweeps',
    description: 'Returns the sweeps of the last 400 days, newest first.',
  })
  @EnvelopedPageResponse(RetentionSweepDto)
  sweeps(@Query() query: PageQueryDto): Promise<Page<RetentionSweepDto>> {
    return this.retention.sweeps(query);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.retention.read',
    summary: 'Retrieve a retention policy',
    description: 'A policy whose `effective_at` is in the future is not in force yet.',
  })
  @EnvelopedResponse(RetentionPolicyDto)
  @ApiErrors(RetentionNotFoundError)
  get(@Param('id', IdPipe) id: number): Promise<RetentionPolicyDto> {
    return this.retention.get(id);
  }

  @Put(':id')
  @NoKeys()
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.retention.update',
    summary: 'Update a retention policy',
    description:
      'Scope and kind cannot change. A longer period takes effect at once, a shorter one in 24 hours or at ' +
      '`effective_at`.',
  })
  @EnvelopedResponse(RetentionPolicyDto)
  @ApiErrors(RetentionNotFoundError)
  update(@Param('id', IdPipe) id: number, @Body() body: UpdateRetentionPolicyDto): Promise<RetentionPolicyDto> {
    return this.retention.update(id, body);
  }

  @Delete(':id')
  @NoKeys()
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.retention.remove',
    summary: 'Delete a retention policy',
    description: 'If data is then kept for a shorter time, the policy still protects it for 24 hours.',
  })
  @EnvelopedResponse(DeletedRetentionPolicyDto)
  @ApiErrors(RetentionNotFoundError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedRetentionPolicyDto> {
    return this.retention.remove(id);
  }
}
