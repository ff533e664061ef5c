import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { TooManyBodiesError } from '../../../common/errors/common.errors';
import { BodyLimit, TakesUpload } from '../../../common/http/body/body-rules.decorator';
import { isMultipart } from '../../../common/http/body/multipart-body';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { IdPipe } from '../../../common/validation/id.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { FileEmptyError, UploadedFileNotFoundError, UploadTooLargeError } from '../files/file.errors';
import { FileReceiver } from '../files/file-receiver';
import {
  KnowledgeExpiredError,
  KnowledgeFileNotReadyError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
} from '../knowledge.errors';
import { EntriesService } from './entries.service';
import {
  EntryDto,
  EntryTextDto,
  ListEntriesQueryDto,
  ReadTextQueryDto,
  RemovedEntryDto,
  toEntryDto,
} from './entry.dto';
import { ApiChangeBody, ApiRetryBody, ATTACH_BODY } from './entry-documentation';
import { attachFile, changeEntry, readBody, readForm, retryEntry, toWishes } from './entry-fields';
import { EntryTexts } from './entry-texts';
import { ReadableStores } from './readable-stores';

/** 16 attributes whose characters each have JSON's longest form. */
const LARGEST_BODY = 131_072;

@ApiTags('Knowledge')
@Authenticated()
@Enveloped()
@AuditAdministrators()
@Controller('knowledge/:id/files')
export class EntriesController {
  constructor(
    private readonly entries: EntriesService,
    private readonly texts: EntryTexts,
    private readonly readable: ReadableStores,
    private readonly receiver: FileReceiver,
  ) {}

  @Get()
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.listFiles',
    summary: 'List files of a collection',
    description: 'Returns the files that were attached last first, with their status.',
  })
  @EnvelopedPageResponse(EntryDto)
  @ApiErrors(KnowledgeNotFoundError)
  async list(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: ListEntriesQueryDto,
  ): Promise<Page<EntryDto>> {
    const { items, total } = await this.entries.page(
      principal,
      id,
      { status: query.status, text: query.q },
      partOf(query),
    );
    return toPage(
      items.map((item) => toEntryDto(item, language)),
      total,
      query,
    );
  }

  @Post()
  @KeyScope('knowledge:write')
  @TakesUpload('also')
  @BodyLimit(LARGEST_BODY)
  @CountedAs('upload')
  @HttpCode(HttpStatus.CREATED)
  @Enveloped('messages.file_attached')
  @ApiOperation({
    operationId: 'knowledge.addFile',
    summary: 'Add a file to a collection',
    description:
      'Send a file as a form, or the id of one of your files as JSON. If the file is attached already, the ' +
      'response is 200 with the existing entry. Safe to retry with an `Idempotency-Key`.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody(ATTACH_BODY)
  @EnvelopedResponse(EntryDto, { status: 201 })
  @ApiErrors(
    KnowledgeNotFoundError,
    KnowledgeRoleRequiredError,
    ForbiddenError,
    UploadedFileNotFoundError,
    KnowledgeExpiredError,
    KnowledgeLimitError,
    IdempotencyConflictError,
    UploadTooLargeError,
    StorageQuotaExceededError,
    FileEmptyError,
    TooManyBodiesError,
  )
  async add(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EntryDto> {
    const { principal, language } = context;
    if (isMultipart(request.headers)) {
      await this.readable.require(principal, id, 'editor');
      const received = await this.receiver.receive({ request, response, principal, field: 'file' });
      const wishes = await this.readWishes(received);
      return toEntryDto(await this.entries.attachUpload(context, id, received, wishes, key), language);
    }
    const { file_id, ...wishes } = readBody(attachFile, request.body);
    const { isNew, ...found } = await this.entries.attach(context, id, { fileId: file_id, ...toWishes(wishes) }, key);
    response.status(isNew ? HttpStatus.CREATED : HttpStatus.OK);
    return toEntryDto(found, language);
  }

  @Get(':file_id')
  @KeyScope('knowledge:read')
  @CountedAs('poll')
  @ApiOperation({
    operationId: 'knowledge.readFile',
    summary: 'Retrieve a file of a collection',
    description:
      'Use it to wait for the status `completed`: 600 requests a minute, in addition to your other requests.',
  })
  @EnvelopedResponse(EntryDto)
  @ApiErrors(KnowledgeNotFoundError, UploadedFileNotFoundError)
  async read(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
  ): Promise<EntryDto> {
    return toEntryDto(await this.entries.get(principal, id, fileId), language);
  }

  @Put(':file_id')
  @KeyScope('knowledge:write')
  @BodyLimit(LARGEST_BODY)
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'knowledge.updateFile',
    summary: 'Update the attributes of a file',
    description: 'Replaces all attributes; null removes them. It needs the role `editor`.',
  })
  @ApiChangeBody()
  @EnvelopedResponse(EntryDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError, KnowledgeExpiredError)
  async update(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
    @Req() { body }: Request,
  ): Promise<EntryDto> {
    const { attributes } = readBody(changeEntry, body);
    return toEntryDto(await this.entries.setAttributes(principal, id, fileId, attributes ?? {}), language);
  }

  @Delete(':file_id')
  @KeyScope('knowledge:write')
  @Enveloped('messages.file_detached')
  @ApiOperation({
    operationId: 'knowledge.removeFile',
    summary: 'Remove a file from a collection',
    description: 'The file itself stays. It needs the role `editor`.',
  })
  @EnvelopedResponse(RemovedEntryDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError, KnowledgeExpiredError)
  async remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
  ): Promise<RemovedEntryDto> {
    await this.entries.detach(principal, id, fileId);
    return { file_id: fileId };
  }

  @Post(':file_id/retry')
  @KeyScope('knowledge:write')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'knowledge.retryFile',
    summary: 'Retry a failed file',
    description: 'Reads the file again if that failed. It has no effect otherwise. It needs the role `editor`.',
  })
  @ApiRetryBody()
  @EnvelopedResponse(EntryDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError, KnowledgeExpiredError)
  async retry(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
    @Req() { body }: Request,
  ): Promise<EntryDto> {
    const { embeddings } = readBody(retryEntry, body);
    return toEntryDto(await this.entries.retry(principal, id, fileId, embeddings ?? false), language);
  }

  @Get(':file_id/text')
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.readText',
    summary: 'Retrieve the text of a file',
    description: 'Returns the text that searches find, at most 20,000 UTF-16 units. Use it to open a citation.',
  })
  @EnvelopedResponse(EntryTextDto)
  @ApiErrors(KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError, KnowledgeFileNotReadyError)
  text(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('file_id', IdPipe) fileId: number,
    @Query() { start, end }: ReadTextQueryDto,
  ): Promise<EntryTextDto> {
    return this.texts.part(principal, id, fileId, start, end);
  }

  /** A file whose form is faulty is not kept. */
  private async readWishes(
    received: Awaited<ReturnType<FileReceiver['receive']>>,
  ): Promise<Parameters<EntriesService['attachUpload']>[3]> {
    try {
      return { purpose: 'user_data', expiresAfterSeconds: null, ...readForm(received.fields) };
    } catch (error) {
      await this.receiver.discard(received);
      throw error;
    }
  }
}
