import { Readable } from 'node:stream';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Clock } from '../../../common/clock';
import { BodyLimit } from '../../../common/http/body/body-rules.decorator';
import { translate } from '../../../common/i18n/translator';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import {
  EntriesService,
  EntryTexts,
  KnowledgeExpiredError,
  KnowledgeFileNotReadyError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
  UploadedFileNotFoundError,
} from '../../knowledge/knowledge.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ObjectIdPipe, readObjectId, toObjectId } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import { RepeatedChanges } from '../repeated-changes';
import {
  asFailed,
  RemovedVectorStoreFileDto,
  toVectorStoreFileDto,
  VectorStoreFileContentDto,
  VectorStoreFileDto,
  VectorStoreFileListDto,
  VectorStoreFileListQueryDto,
} from './entry.dto';
import { VectorStoreFileLists } from './entry-lists';
import { POLL_HEADERS, pollsCancelledFiles, setPollAfter } from './polling';
import { attachedFile, type AttachedFileBody, entryUpdate, type EntryUpdateBody, toEntryWishes } from './store-schemas';
import { ENTRIES, ENTRY_ID, STORE_ID } from './vector-store-paths';

/** 16 attributes whose characters each have JSON's longest form. */
const LARGEST_BODY = 131_072;

@ApiTags('OpenAI vector stores')
@Authenticated()
@KeyScope('openai')
@AuditAdministrators()
@ApiParam(STORE_ID)
@Controller(`${OPENAI_PREFIX}/vector_stores/:vector_store_id/files`)
export class VectorStoreFileController {
  constructor(
    private readonly entries: EntriesService,
    private readonly lists: VectorStoreFileLists,
    private readonly texts: EntryTexts,
    private readonly changes: RepeatedChanges,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGEST_BODY)
  @ApiOperation({
    operationId: 'openai.addVectorStoreFile',
    summary: 'Add a file to a vector store',
    description:
      'If the file is attached already, the response is the existing entry with the new `attributes`. It needs the ' +
      'role `editor`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiAttachFile', attachedFile, {
    file: { value: { file_id: 'file-7', attributes: { product: 'console' } } },
  })
  @ApiOkResponse({ type: VectorStoreFileDto })
  @OpenAiErrors(
    ENTRIES,
    ...bodyFaults('file_id'),
    KnowledgeExpiredError,
    KnowledgeRoleRequiredError,
    ForbiddenError,
    KnowledgeNotFoundError,
    UploadedFileNotFoundError,
    KnowledgeLimitError,
    IdempotencyConflictError,
  )
  async add(
    @CurrentContext() context: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @SchemaBody(attachedFile) { file_id: id, ...wishes }: AttachedFileBody,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreFileDto> {
    const file = { fileId: readObjectId('file', id), ...toEntryWishes(wishes) };
    return toVectorStoreFileDto(await this.entries.attach(context, storeId, file, key), context.language);
  }

  @Get()
  @ApiOperation({
    operationId: 'openai.listVectorStoreFiles',
    summary: 'List files of a vector store',
    description: 'Returns the files with their status.',
  })
  @ApiOkResponse({ type: VectorStoreFileListDto })
  @OpenAiErrors(ENTRIES, KnowledgeNotFoundError)
  list(
    @CurrentContext() context: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Query() query: VectorStoreFileListQueryDto,
  ): Promise<VectorStoreFileListDto> {
    return this.lists.ofStore(context, storeId, query);
  }

  @Get(':file_id')
  @CountedAs('poll')
  @ApiOperation({
    operationId: 'openai.readVectorStoreFile',
    summary: 'Retrieve a file of a vector store',
    description:
      'While it is `in_progress`, the header `openai-poll-after-ms` says when to read it again. These requests have ' +
      'their own rate limit.',
  })
  @ApiParam(ENTRY_ID)
  @ApiOkResponse({ type: VectorStoreFileDto, headers: POLL_HEADERS })
  @OpenAiErrors(`${ENTRIES}/{file_id}`, KnowledgeNotFoundError, UploadedFileNotFoundError)
  async read(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('file_id', new ObjectIdPipe('file')) fileId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VectorStoreFileDto> {
    const found = await this.entries.get(principal, storeId, fileId);
    const file = toVectorStoreFileDto(found, language);
    if (file.status === 'in_progress') {
      setPollAfter(response, found.entry.createdAt, this.clock.now());
    }
    return file.status === 'cancelled' && pollsCancelledFiles(request)
      ? asFailed(file, translate(language, 'messages.file_cancelled', { filename: found.file.filename }))
      : file;
  }

  @Post(':file_id')
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGEST_BODY)
  @ApiOperation({
    operationId: 'openai.updateVectorStoreFile',
    summary: 'Update the attributes of a file',
    description: 'Replaces all attributes; null removes them. It needs the role `editor`.',
  })
  @ApiParam(ENTRY_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiVectorStoreFileUpdate', entryUpdate, {
    attributes: { value: { attributes: { product: 'console' } } },
  })
  @ApiOkResponse({ type: VectorStoreFileDto })
  @OpenAiErrors(
    `${ENTRIES}/{file_id}`,
    ...bodyFaults('attributes'),
    KnowledgeExpiredError,
    KnowledgeRoleRequiredError,
    KnowledgeNotFoundError,
    UploadedFileNotFoundError,
    IdempotencyConflictError,
  )
  async update(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('file_id', new ObjectIdPipe('file')) fileId: number,
    @SchemaBody(entryUpdate) body: EntryUpdateBody,
    @IdempotencyKey() key: string | null,
  ): Promise<VectorStoreFileDto> {
    const route = `POST /openai/v1/vector_stores/${storeId}/files/${fileId}`;
    const changed = await this.changes.run(
      { userId: principal.userId, key, route, body },
      () => this.entries.setAttributes(principal, storeId, fileId, body.attributes ?? {}),
      { idOf: ({ file }) => file.id, read: (id) => this.entries.get(principal, storeId, id) },
    );
    return toVectorStoreFileDto(changed, language);
  }

  @Delete(':file_id')
  @ApiOperation({
    operationId: 'openai.removeVectorStoreFile',
    summary: 'Remove a file from a vector store',
    description: 'The file itself stays. It needs the role `editor`.',
  })
  @ApiParam(ENTRY_ID)
  @ApiOkResponse({ type: RemovedVectorStoreFileDto })
  @OpenAiErrors(
    `${ENTRIES}/{file_id}`,
    KnowledgeExpiredError,
    KnowledgeRoleRequiredError,
    KnowledgeNotFoundError,
    UploadedFileNotFoundError,
  )
  async remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('file_id', new ObjectIdPipe('file')) fileId: number,
  ): Promise<RemovedVectorStoreFileDto> {
    await this.entries.detach(principal, storeId, fileId);
    return { id: toObjectId('file', fileId), object: 'vector_store.file.deleted', deleted: true };
  }

  @Get(':file_id/content')
  @ApiOperation({
    operationId: 'openai.readVectorStoreFileContent',
    summary: 'Retrieve the text of a file',
    description: 'Returns the whole text that searches find.',
  })
  @ApiParam(ENTRY_ID)
  @ApiOkResponse({ type: VectorStoreFileContentDto })
  @OpenAiErrors(
    `${ENTRIES}/{file_id}/content`,
    KnowledgeRoleRequiredError,
    KnowledgeNotFoundError,
    UploadedFileNotFoundError,
    KnowledgeFileNotReadyError,
  )
  async content(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) storeId: number,
    @Param('file_id', new ObjectIdPipe('file')) fileId: number,
  ): Promise<StreamableFile> {
    const pieces = await this.texts.pieces(principal, storeId, fileId);
    return new StreamableFile(Readable.from(toContentPage(pieces)), { type: 'application/json; charset=utf-8' });
  }
}

/** A text has up to 20,000,000 characters, so the JSON of its pieces is never in memory as a whole. */
async function* toContentPage(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"object":"vector_store.file_content.page","data":[';
  let separator = '';
  for await (const text of pieces) {
    yield separator + JSON.stringify({ type: 'text', text });
    separator = ',';
  }
  yield '],"has_more":false,"next_page":null}';
}
