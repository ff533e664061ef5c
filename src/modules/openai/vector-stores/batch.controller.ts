import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Clock } from '../../../common/clock';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { LARGE_BODY_ERRORS } from '../../../common/http/body/body.guard';
import { BodyLimit, MostValues } from '../../../common/http/body/body-rules.decorator';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import {
  type AttachedFile,
  BatchesService,
  BatchNotFoundError,
  type BatchState,
  KnowledgeExpiredError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
  StoresService,
  UploadedFileNotFoundError,
} from '../../knowledge/knowledge.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ObjectIdPipe, readObjectId } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import { RepeatedChanges } from '../repeated-changes';
import { toBatchDto, VectorStoreFileBatchDto } from './batch.dto';
import { VectorStoreFileListDto, VectorStoreFileListQueryDto } from './entry.dto';
import { VectorStoreFileLists } from './entry-lists';
import { POLL_HEADERS, setPollAfter } from './polling';
import { newBatch, type NewBatchBody, toEntryWishes } from './store-schemas';
import { BATCH_ID, BATCHES, STORE_ID } from './vector-store-paths';

/** 2,000 files with a few attributes each. */
const LARGEST_BODY = 8 * 1_048_576;

/** 2,000 files with 16 attributes and a strategy each. */
const MOST_BODY_VALUES = 60_000;

const EXAMPLE = {
  ids: { value: { file_ids: ['file-7', 'file-8'] } },
  files: { value: { files: [{ file_id: 'file-7', attributes: { product: 'console' } }] } },
};

@ApiTags('OpenAI vector stores')
@Authenticated()
@KeyScope('openai')
@AuditAdministrators()
@ApiParam(STORE_ID)
@Controller(`${OPENAI_PREFIX}/vector_stores/:vector_store_id/file_batches`)
export class VectorStoreFileBatchController {
  constructor(
    private readonly stores: StoresService,
    private readonly batches: BatchesService,
    private readonly lists: VectorStoreFileLists,
    private readonly changes: RepeatedChanges,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGEST_BODY)
  @MostValues(MOST_BODY_VALUES)
  @ApiOperation({
    operationId: 'openai.createFileBatch',
    summary: 'Add files to a vector store',
    description: 'Attaches all files, or none if one is not yours. It needs the role `editor`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiNewFileBatch', newBatch, EXAMPLE)
  @ApiOkResponse({ type: VectorStoreFileBatchDto })
  @OpenAiErrors(
    BATCHES,
    ...bodyFaults('file_ids'),
    KnowledgeExpiredError,
    KnowledgeRoleRequiredError,
    ForbiddenError,
    KnowledgeNotFoundError,
    UploadedFileNotFoundError,
    KnowledgeLimitError,
    IdempotencyConflictError,
    ...LARGE_BODY_ERRORS,
  )
  async create(
    @CurrentContext() context: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @SchemaBody(newBatch) body: NewBatchBody,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreFileBatchDto> {
    const { principal } = context;
    if (!body.file_ids && !body.files) {
      // A missing store is reported first, as for every other body.
      await this.stores.get(principal, storeId);
      throw new InvalidParameterError([{ field: 'file_ids', reason: 'required' }]);
    }
    const route = `POST /openai/v1/vector_stores/${storeId}/file_batches`;
    const created = await this.changes.run(
      { userId: principal.userId, key, route, body },
      () => this.batches.create(context, storeId, filesOf(body)),
      { idOf: ({ batch }) => batch.id, read: (id) => this.batches.get(principal, storeId, id) },
    );
    return toBatchDto(created);
  }

  @Get(':batch_id')
  @CountedAs('poll')
  @ApiOperation({
    operationId: 'openai.readFileBatch',
    summary: 'Retrieve a file batch',
    description:
      'While it is `in_progress`, the header `openai-poll-after-ms` says when to read it again. These requests have ' +
      'their own rate limit.',
  })
  @ApiParam(BATCH_ID)
  @ApiOkResponse({ type: VectorStoreFileBatchDto, headers: POLL_HEADERS })
  @OpenAiErrors(`${BATCHES}/{batch_id}`, KnowledgeNotFoundError, BatchNotFoundError)
  async read(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('batch_id', new ObjectIdPipe('batch')) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VectorStoreFileBatchDto> {
    const state = await this.batches.get(principal, storeId, id);
    if (state.status === 'in_progress') {
      setPollAfter(response, state.batch.createdAt, this.clock.now());
    }
    return toBatchDto(state);
  }

  @Post(':batch_id/cancel')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.cancelFileBatch',
    summary: 'Cancel a file batch',
    description: 'Ends what the batch has started. Files that are completed stay. It needs the role `editor`.',
  })
  @ApiParam(BATCH_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiOkResponse({ type: VectorStoreFileBatchDto })
  @OpenAiErrors(
    `${BATCHES}/{batch_id}/cancel`,
    KnowledgeRoleRequiredError,
    KnowledgeNotFoundError,
    BatchNotFoundError,
    IdempotencyConflictError,
  )
  async cancel(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('batch_id', new ObjectIdPipe('batch')) id: number,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreFileBatchDto> {
    const route = `POST /openai/v1/vector_stores/${storeId}/file_batches/${id}/cancel`;
    const cancelled = await this.changes.run<BatchState>(
      { userId: principal.userId, key, route, body: null },
      () => this.batches.cancel(principal, storeId, id),
      { idOf: ({ batch }) => batch.id, read: (batchId) => this.batches.get(principal, storeId, batchId) },
    );
    return toBatchDto(cancelled);
  }

  @Get(':batch_id/files')
  @ApiOperation({
    operationId: 'openai.listFileBatchFiles',
    summary: 'List files of a file batch',
    description: 'Returns the files that are still in the vector store.',
  })
  @ApiParam(BATCH_ID)
  @ApiOkResponse({ type: VectorStoreFileListDto })
  @OpenAiErrors(`${BATCHES}/{batch_id}/files`, KnowledgeNotFoundError, BatchNotFoundError)
  list(
    @CurrentContext() context: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('batch_id', new ObjectIdPipe('batch')) id: number,
    @Query() query: VectorStoreFileListQueryDto,
  ): Promise<VectorStoreFileListDto> {
    return this.lists.ofBatch(context, storeId, id, query);
  }
}

/** With `files`, the other members have no effect. */
function filesOf({ file_ids: ids, files, ...common }: NewBatchBody): AttachedFile[] {
  const listed = files ?? (ids ?? []).map((id) => ({ ...common, file_id: id }));
  return listed.map(({ file_id: id, ...wishes }) => ({ fileId: readObjectId('file', id), ...toEntryWishes(wishes) }));
}
