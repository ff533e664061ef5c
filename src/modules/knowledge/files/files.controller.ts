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
  type StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { TooManyBodiesError } from '../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { AcceptsAnyType, TakesUpload } from '../../../common/http/body/body-rules.decorator';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import { HoldNotices } from '../../hold/hold.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { UPLOAD_BODY } from '../collections/entry-documentation';
import { KnowledgeRoleRequiredError } from '../knowledge.errors';
import { FILE_PURPOSES, type FilePurpose, type KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { ExpiredFiles } from './expired-files';
import { DeletedFileDto, FileDto, ListFilesQueryDto, toFileDto } from './file.dto';
import { FileEmptyError, UploadedFileNotFoundError, UploadTooLargeError } from './file.errors';
import { FileReceiver, type ReceivedFile } from './file-receiver';
import { FilesService } from './files.service';
import { sendContent } from './send-content';

@ApiTags('Files')
@Authenticated()
@Enveloped()
@AuditAdministrators()
@Controller('files')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly receiver: FileReceiver,
    private readonly notices: HoldNotices,
    private readonly expired: ExpiredFiles,
  ) {}

  @Post()
  @KeyScope('knowledge:write')
  @TakesUpload('only')
  @CountedAs('upload')
  @HttpCode(HttpStatus.CREATED)
  @Enveloped('messages.file_uploaded')
  @ApiOperation({
    operationId: 'files.create',
    summary: 'Upload a file',
    description:
      'Send a form with the file. It counts towards your storage. Safe to retry with an `Idempotency-Key` and the ' +
      'same bytes.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody(UPLOAD_BODY)
  @EnvelopedResponse(FileDto, { status: 201 })
  @ApiErrors(
    UploadedFileNotFoundError,
    IdempotencyConflictError,
    UploadTooLargeError,
    StorageQuotaExceededError,
    FileEmptyError,
    TooManyBodiesError,
  )
  async create(
    @CurrentContext() { principal }: RequestContext,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FileDto> {
    const received = await this.receiver.receive({ request, response, principal, field: 'file' });
    const purpose = await this.readPurpose(received);
    const wishes = { purpose, expiresAfterSeconds: null };
    const file = await this.files.create(principal, received, wishes, { key, route: 'POST /files' });
    return this.describe(principal.userId, file);
  }

  @Get()
  @KeyScope('knowledge:read')
  @ApiOperation({ operationId: 'files.list', summary: 'List your files', description: 'The newest first.' })
  @EnvelopedPageResponse(FileDto)
  async list(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Query() query: ListFilesQueryDto,
  ): Promise<Page<FileDto>> {
    const { items, total } = await this.files.page(userId, query.q, partOf(query));
    const collections = await this.files.collectionsOf(
      userId,
      items.map(({ id }) => id),
    );
    const expiry = await this.expired.expiryOf(userId, items);
    return toPage(
      items.map((file) => toFileDto(file, collections.get(file.id) ?? [], expiry(file))),
      total,
      query,
    );
  }

  @Get(':id')
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'files.read',
    summary: 'Retrieve a file',
    description: 'You can read your own files, and those of collections that you may read.',
  })
  @EnvelopedResponse(FileDto)
  @ApiErrors(UploadedFileNotFoundError)
  async read(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<FileDto> {
    return this.describe(userId, await this.files.find(userId, id));
  }

  @Get(':id/content')
  @KeyScope('knowledge:read')
  @AcceptsAnyType(true)
  @ApiOperation({
    operationId: 'files.readContent',
    summary: 'Download a file',
    description: 'Returns the bytes with their own media type, always as an attachment.',
  })
  @ApiOkResponse({
    description: 'The bytes of the file.',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '%PDF-1.7 …' } },
  })
  @ApiErrors(UploadedFileNotFoundError)
  async content(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return sendContent(response, await this.files.content(userId, id));
  }

  @Delete(':id')
  @KeyScope('knowledge:write')
  @Enveloped(({ kept }: DeletedFileDto) => (kept ? 'messages.deleted_but_held' : 'messages.deleted'))
  @ApiOperation({
    operationId: 'files.remove',
    summary: 'Delete a file',
    description: 'Removes it from all collections, also those of other users. Only its owner may.',
  })
  @EnvelopedResponse(DeletedFileDto)
  @ApiErrors(UploadedFileNotFoundError, KnowledgeRoleRequiredError)
  async remove(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<DeletedFileDto> {
    await this.files.delete(userId, id);
    return (await this.notices.appliesTo(userId)) ? { id, kept: true } : { id };
  }

  private async describe(userId: number, file: KnowledgeFileEntity): Promise<FileDto> {
    const collections = await this.files.collectionsOf(userId, [file.id]);
    const expiry = await this.expired.expiryOf(userId, [file]);
    return toFileDto(file, collections.get(file.id) ?? [], expiry(file));
  }

  /** A file with a faulty form is not kept. @throws ValidationFailedError */
  private async readPurpose(received: ReceivedFile): Promise<FilePurpose> {
    const { purpose = 'user_data' } = received.fields;
    const found = FILE_PURPOSES.find((known) => known === purpose);
    if (found === undefined) {
      await this.receiver.discard(received);
      throw ValidationFailedError.of('purpose', 'not_allowed', { allowed: FILE_PURPOSES.join(', ') });
    }
    return found;
  }
}
