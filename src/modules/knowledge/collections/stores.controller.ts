import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { IdPipe } from '../../../common/validation/id.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import { HoldNotices } from '../../hold/hold.api';
import {
  KnowledgeInUseError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
} from '../knowledge.errors';
import {
  CreateKnowledgeDto,
  DeletedKnowledgeDto,
  DeleteKnowledgeQueryDto,
  KnowledgeDto,
  ListKnowledgeQueryDto,
  toFields,
  UpdateKnowledgeDto,
} from './store.dto';
import { StoreViews } from './store-views';
import { StoresService } from './stores.service';

@ApiTags('Knowledge')
@Authenticated()
@Enveloped()
@AuditAdministrators()
@Controller('knowledge')
export class StoresController {
  constructor(
    private readonly stores: StoresService,
    private readonly views: StoreViews,
    private readonly notices: HoldNotices,
  ) {}

  @Get()
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.list',
    summary: 'List collections',
    description: 'Returns your own collections, those of your groups and those for every user, the newest first.',
  })
  @EnvelopedPageResponse(KnowledgeDto)
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListKnowledgeQueryDto,
  ): Promise<Page<KnowledgeDto>> {
    const { items, total } = await this.stores.page(principal, { text: query.q, role: query.role }, partOf(query));
    return toPage(await this.views.describeAll(items), total, query);
  }

  @Post()
  @KeyScope('knowledge:write')
  @HttpCode(HttpStatus.CREATED)
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'knowledge.create',
    summary: 'Create a collection',
    description:
      'Only you can read it until you share it. The operator decides who may create collections. Safe to retry ' +
      'with an `Idempotency-Key`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @EnvelopedResponse(KnowledgeDto, { status: 201 })
  @ApiErrors(ForbiddenError, KnowledgeNotFoundError, KnowledgeLimitError, IdempotencyConflictError)
  async create(
    @CurrentContext() { principal }: RequestContext,
    @Body() body: CreateKnowledgeDto,
    @IdempotencyKey() key: string | null,
  ): Promise<KnowledgeDto> {
    const request = { key, route: 'POST /knowledge', body };
    return this.views.describe(await this.stores.create(principal, toFields(body), request));
  }

  @Get(':id')
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.read',
    summary: 'Retrieve a collection',
    description: 'Includes what it contains and your role. `access` is only shown to owners and editors.',
  })
  @EnvelopedResponse(KnowledgeDto)
  @ApiErrors(KnowledgeNotFoundError)
  async read(@CurrentContext() { principal }: RequestContext, @Param('id', IdPipe) id: number): Promise<KnowledgeDto> {
    return this.views.describe(await this.stores.get(principal, id));
  }

  @Put(':id')
  @KeyScope('knowledge:write')
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'knowledge.update',
    summary: 'Update a collection',
    description: 'Only its owner may. Fields that you omit stay unchanged; `access` is replaced as a whole.',
  })
  @EnvelopedResponse(KnowledgeDto)
  @ApiErrors(ForbiddenError, KnowledgeNotFoundError, KnowledgeRoleRequiredError)
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: UpdateKnowledgeDto,
  ): Promise<KnowledgeDto> {
    return this.views.describe(await this.stores.update(principal, id, toFields(body)));
  }

  @Delete(':id')
  @KeyScope('knowledge:write')
  @Enveloped(({ kept }: DeletedKnowledgeDto) => (kept ? 'messages.deleted_but_held' : 'messages.deleted'))
  @ApiOperation({
    operationId: 'knowledge.remove',
    summary: 'Delete a collection',
    description: 'Only its owner may. The files stay. If agents use it, send `force=true` to remove it from them.',
  })
  @EnvelopedResponse(DeletedKnowledgeDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeRoleRequiredError, KnowledgeInUseError)
  async remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() { force }: DeleteKnowledgeQueryDto,
  ): Promise<DeletedKnowledgeDto> {
    await this.stores.delete(principal, id, force);
    return (await this.notices.appliesTo(principal.userId)) ? { id, kept: true } : { id };
  }
}
