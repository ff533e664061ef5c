import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { onePage, type Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { GuardExistsError, GuardLimitError, GuardNotFoundError, GuardUrlForbiddenError } from '../guard.errors';
import { GuardStore } from '../guards/guard.store';
import { DeletedGuardDto, GuardDto, GuardTestBodyDto, GuardTestDto, toGuardDto } from './guard.dto';
import { GuardAdministrationService } from './guard-administration.service';
import { CreateGuardDto, GuardOrderDto, UpdateGuardDto } from './guard-fields.dto';

@ApiTags('Guards')
@AdminOnly()
@Enveloped()
@Controller('admin/guards')
export class GuardsController {
  constructor(
    private readonly store: GuardStore,
    private readonly administration: GuardAdministrationService,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.guards.list',
    summary: 'List guards',
    description: 'Returns guards in the order in which they check a text.',
  })
  @EnvelopedPageResponse(GuardDto)
  list(@Query() query: PageQueryDto): Page<GuardDto> {
    const { all } = this.store;
    const { offset, limit } = partOf(query);
    return toPage(
      all.slice(offset, offset + limit).map((guard) => toGuardDto(guard)),
      all.length,
      query,
    );
  }

  @Post()
  @NoKeys()
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.guards.create',
    summary: 'Add a guard',
    description: 'Takes effect within five seconds. The guard checks texts after all other guards of its stages.',
  })
  @EnvelopedResponse(GuardDto, { status: HttpStatus.CREATED })
  @ApiErrors(GuardExistsError, GuardLimitError, GuardUrlForbiddenError)
  async create(@Body() body: CreateGuardDto): Promise<GuardDto> {
    const { guard, secret } = await this.administration.create(body);
    return toGuardDto(guard, secret);
  }

  @Put('order')
  @Audited('guard.order', 'guard', ['ids'])
  @NoKeys()
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.guards.order',
    summary: 'Change the order of guards',
    description: 'Each guard checks the text as the previous guards left it. The body must list all guards.',
  })
  @EnvelopedPageResponse(GuardDto)
  async order(@Body() { ids }: GuardOrderDto): Promise<Page<GuardDto>> {
    return onePage((await this.administration.order(ids)).map((guard) => toGuardDto(guard)));
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.guards.read',
    summary: 'Retrieve a guard',
    description: 'Secrets are not included.',
  })
  @EnvelopedResponse(GuardDto)
  @ApiErrors(GuardNotFoundError)
  get(@Param('id', IdPipe) id: number): GuardDto {
    return toGuardDto(this.store.get(id));
  }

  @Put(':id')
  @NoKeys()
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.guards.update',
    summary: 'Update a guard',
    description:
      'Omitted fields stay unchanged. A URL with another origin needs new credentials, because stored ones are never ' +
      'sent to another server. The guard checks texts of conversations again when they are next sent to a model.',
  })
  @EnvelopedResponse(GuardDto)
  @ApiErrors(GuardNotFoundError, GuardExistsError, GuardUrlForbiddenError)
  async update(@Param('id', IdPipe) id: number, @Body() body: UpdateGuardDto): Promise<GuardDto> {
    return toGuardDto(await this.administration.update(id, body));
  }

  @Delete(':id')
  @NoKeys()
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.guards.remove',
    summary: 'Delete a guard',
    description: 'From then on, texts that it masked in earlier messages are sent to models unmasked.',
  })
  @EnvelopedResponse(DeletedGuardDto)
  @ApiErrors(GuardNotFoundError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedGuardDto> {
    return this.administration.remove(id);
  }

  @Post(':id/test')
  @Audited('guard.test', 'guard', ['stage'])
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'admin.guards.test',
    summary: 'Test a guard',
    description:
      'Checks a text, even if the guard is not active. The text is neither stored nor written to the audit log.',
  })
  @EnvelopedResponse(GuardTestDto)
  @ApiErrors(GuardNotFoundError)
  test(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: GuardTestBodyDto,
  ): Promise<GuardTestDto> {
    return this.administration.test(id, body, principal);
  }
}
