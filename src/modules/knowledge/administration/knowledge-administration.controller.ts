import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { EntryTextDto } from '../collections/entry.dto';
import { DeletedKnowledgeDto, DeleteKnowledgeQueryDto, KnowledgeDto, toAccess } from '../collections/store.dto';
import { StoreViews } from '../collections/store-views';
import { StoresService } from '../collections/stores.service';
import { UploadedFileNotFoundError } from '../files/file.errors';
import { KnowledgeFileNotReadyError, KnowledgeInUseError, KnowledgeNotFoundError } from '../knowledge.errors';
import {
  AdminReadTextQueryDto,
  AdminUpdateKnowledgeDto,
  ListAllKnowledgeQueryDto,
} from './knowledge-administration.dto';
import { KnowledgeAdministrationService } from './knowledge-administration.service';

@ApiTags('Knowledge administration')
@AdminOnly()
@Enveloped()
@Controller('admin/knowledge')
export class KnowledgeAdministrationController {
  constructor(
    private readonly administration: KnowledgeAdministrationService,
    private readonly stores: StoresService,
    private readonly views: StoreViews,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.knowledge.list',
    summary: 'List collections of all users',
    description: 'Returns names, owners, access and sizes, the newest first. Texts are not included.',
  })
  @EnvelopedPageResponse(KnowledgeDto)
  async list(@Query() query: ListAllKnowledgeQueryDto): Promise<Page<KnowledgeDto>> {
    const { items, total } = await this.administration.page({ text: query.q, ownerId: query.owner_id }, partOf(query));
    return toPage(await this.views.describeAll(items), total, query);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.knowledge.read',
    summary: 'Retrieve a collection of any user',
    description: 'Returns name, owner, access and size, without texts.',
  })
  @EnvelopedResponse(KnowledgeDto)
  @ApiErrors(KnowledgeNotFoundError)
  async read(@Param('id', IdPipe) id: number): Promise<KnowledgeDto> {
    return this.views.describe(await this.administration.get(id));
  }

  @Put(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.knowledge.update',
    summary: 'Update who owns and reads a collection',
    description:
      'If you cannot read the collection of another user, and this makes you a reader or the service its owner, it ' +
      'requires `ADMIN_CONTENT_ACCESS=true` (otherwise 403) and a `reason`.',
  })
  @EnvelopedResponse(KnowledgeDto)
  @ApiErrors(KnowledgeNotFoundError)
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() { owner_id: ownerId, access, trusted, reason }: AdminUpdateKnowledgeDto,
  ): Promise<KnowledgeDto> {
    const changes = {
      ...(ownerId !== undefined && { ownerId }),
      ...(access !== undefined && { access: toAccess(access) }),
      ...(trusted !== undefined && { trusted }),
    };
    return this.views.describe(await this.administration.update(principal, id, changes, reason));
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.knowledge.remove',
    summary: 'Delete a collection of any user',
    description: 'The files stay with their owners. If agents use it, send `force=true` to remove it from them.',
  })
  @EnvelopedResponse(DeletedKnowledgeDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeInUseError)
  async remove(
    @Param('id', IdPipe) id: number,
    @Query() { force }: DeleteKnowledgeQueryDto,
  ): Promise<DeletedKnowledgeDto> {
    await this.administration.get(id);
    await this.stores.deleteStore(id, force, true);
    return { id };
  }

  @Get(':id/files/:file_id/text')
  @KeyScope('admin:read')
  @Audited('knowledge.read', 'knowledge')
  @ApiOperation({
    operationId: 'admin.knowledge.readText',
    summary: 'Retrieve the text of a file of any user',
    description:
      'Returns 403 unless the operator has set `ADMIN_CONTENT_ACCESS=true`. The reason is written to the audit log first.',
  })
  @EnvelopedResponse(EntryTextDto)
  @ApiErrors(KnowledgeNotFoundError, UploadedFileNotFoundError, KnowledgeFileNotReadyError)
  text(
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
    @Query() { reason, start, end }: AdminReadTextQueryDto,
  ): Promise<EntryTextDto> {
    return this.administration.readText(id, fileId, reason, start, end);
  }
}
