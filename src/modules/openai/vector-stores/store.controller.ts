import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Clock } from '../../../common/clock';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import {
  BatchesService,
  type FoundStore,
  KnowledgeInUseError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
  type StoreContents,
  type StoreFields,
  StoresService,
  StoreViews,
  UploadedFileNotFoundError,
} from '../../knowledge/knowledge.api';
import { readCursorPage, toCursorPage } from '../cursor-page';
import { LimitedCursorQueryDto } from '../cursor-query.dto';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ObjectIdPipe, readObjectId, toObjectId } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import { RepeatedChanges } from '../repeated-changes';
import {
  DeletedVectorStoreDto,
  DeleteVectorStoreQueryDto,
  toVectorStoreDto,
  VectorStoreDto,
  VectorStoreListDto,
} from './store.dto';
import { newStore, type NewStoreBody, storeUpdate, type StoreUpdateBody, toEntryWishes } from './store-schemas';
import { STORE_ID, STORES } from './vector-store-paths';

const EXAMPLE = { name: 'Handbooks', metadata: { team: 'support' } };

@ApiTags('OpenAI vector stores')
@Authenticated()
@KeyScope('openai')
@AuditAdministrators()
@Controller(`${OPENAI_PREFIX}/${STORES}`)
export class VectorStoreController {
  constructor(
    private readonly stores: StoresService,
    private readonly views: StoreViews,
    private readonly batches: BatchesService,
    private readonly changes: RepeatedChanges,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'openai.createVectorStore',
    summary: 'Create a vector store',
    description: 'It is a collection that only you can read until you share it. `file_ids` attaches all files or none.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiNewVectorStore', newStore, { store: { value: EXAMPLE } })
  @ApiOkResponse({ type: VectorStoreDto })
  @OpenAiErrors(
    STORES,
    ...bodyFaults('name'),
    ForbiddenError,
    UploadedFileNotFoundError,
    KnowledgeNotFoundError,
    KnowledgeLimitError,
    IdempotencyConflictError,
  )
  async create(
    @CurrentContext() context: RequestContext,
    @SchemaBody(newStore) body: NewStoreBody,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreDto> {
    const request = { key, route: `POST /openai/v1/${STORES}`, body };
    const wishes = toEntryWishes({ chunking_strategy: body.chunking_strategy });
    const files = (body.file_ids ?? []).map((id) => ({ ...wishes, fileId: readObjectId('file', id) }));
    const fields = toFields(body);
    const created = await this.stores.create(context.principal, fields, request, async (manager, { id }) => {
      if (files.length > 0) {
        await this.batches.createIn(manager, context, id, files);
      }
    });
    return this.describe(created);
  }

  @Get()
  @ApiOperation({
    operationId: 'openai.listVectorStores',
    summary: 'List vector stores',
    description: 'Returns all collections that you may read, also those that others share with you.',
  })
  @ApiOkResponse({ type: VectorStoreListDto })
  @OpenAiErrors(STORES)
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: LimitedCursorQueryDto,
  ): Promise<VectorStoreListDto> {
    const { rows, hasMore } = await readCursorPage<FoundStore>(query, {
      idOf: ({ store }) => store.id,
      find: async (cursor) => {
        const id = readObjectId('store', cursor);
        const { items } = await this.stores.adjacentPage(principal, 'ASC', { after: id - 1, limit: 1 });
        return items[0]?.store.id === id ? id : null;
      },
      read: (direction, part) => this.stores.adjacentPage(principal, direction, part),
    });
    const contents = await this.views.contentsOf(rows.map(({ store }) => store));
    return toCursorPage(
      rows.map((found) => this.toDto(found, contents)),
      hasMore,
    );
  }

  @Get(':vector_store_id')
  @ApiOperation({
    operationId: 'openai.readVectorStore',
    summary: 'Retrieve a vector store',
    description: 'Includes the number of its files by status. Files have their own routes.',
  })
  @ApiParam(STORE_ID)
  @ApiOkResponse({ type: VectorStoreDto })
  @OpenAiErrors(`${STORES}/{vector_store_id}`, KnowledgeNotFoundError)
  async read(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) id: number,
  ): Promise<VectorStoreDto> {
    return this.describe(await this.stores.get(principal, id));
  }

  @Post(':vector_store_id')
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'openai.updateVectorStore',
    summary: 'Update a vector store',
    description: 'Members that you omit stay unchanged; null removes a value. Only its owner may.',
  })
  @ApiParam(STORE_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiVectorStoreUpdate', storeUpdate, { name: { value: { name: 'Manuals' } } })
  @ApiOkResponse({ type: VectorStoreDto })
  @OpenAiErrors(
    `${STORES}/{vector_store_id}`,
    ...bodyFaults('name'),
    KnowledgeNotFoundError,
    KnowledgeRoleRequiredError,
    IdempotencyConflictError,
  )
  async update(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) id: number,
    @SchemaBody(storeUpdate) body: StoreUpdateBody,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreDto> {
    const request = { userId: principal.userId, key, route: `POST /openai/v1/${STORES}/${id}`, body };
    const changed = await this.changes.run(request, () => this.stores.update(principal, id, toFields(body)), {
      idOf: ({ store }) => store.id,
      read: (storeId) => this.stores.get(principal, storeId),
    });
    return this.describe(changed);
  }

  @Delete(':vector_store_id')
  @ApiOperation({
    operationId: 'openai.removeVectorStore',
    summary: 'Delete a vector store',
    description: 'Only its owner may. The files stay. If agents use it, send `force=true` to remove it from them.',
  })
  @ApiParam(STORE_ID)
  @ApiOkResponse({ type: DeletedVectorStoreDto })
  @OpenAiErrors(`${STORES}/{vector_store_id}`, KnowledgeNotFoundError, KnowledgeRoleRequiredError, KnowledgeInUseError)
  async remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) id: number,
    @Query() { force }: DeleteVectorStoreQueryDto,
  ): Promise<DeletedVectorStoreDto> {
    await this.stores.delete(principal, id, force);
    return { id: toObjectId('store', id), object: 'vector_store.deleted', deleted: true };
  }

  private async describe(found: FoundStore): Promise<VectorStoreDto> {
    return this.toDto(found, await this.views.contentsOf([found.store]));
  }

  private toDto(found: FoundStore, contents: ReadonlyMap<number, StoreContents>): VectorStoreDto {
    return toVectorStoreDto(found, contents.get(found.store.id) as StoreContents, this.clock.now());
  }
}

/** Absent members were not sent. Null removes a value. */
function toFields({ name, description, metadata, expires_after: expiry }: StoreUpdateBody): Partial<StoreFields> {
  return {
    ...(name !== undefined && { name: name ?? '' }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
    ...(expiry !== undefined && { expiresAfterDays: expiry?.days ?? null }),
  };
}
