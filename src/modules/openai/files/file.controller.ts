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
import { ApiBody, ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { TooManyBodiesError } from '../../../common/errors/common.errors';
import { AcceptsAnyType, TakesUpload } from '../../../common/http/body/body-rules.decorator';
import { invalidMultipart } from '../../../common/http/body/multipart-body';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IDEMPOTENCY_KEY, IdempotencyConflictError, IdempotencyKey } from '../../generation/generation.api';
import {
  FileEmptyError,
  FileReceiver,
  FilesService,
  type KnowledgeFile,
  KnowledgeRoleRequiredError,
  sendContent,
  UploadedFileNotFoundError,
  UploadTooLargeError,
} from '../../knowledge/knowledge.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { type CursorList, readCursorPage, toCursorPage } from '../cursor-page';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { objectIdParameter, ObjectIdPipe, readObjectId, toObjectId } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import {
  OpenAiDeletedFileDto,
  OpenAiFileDto,
  OpenAiFileListDto,
  OpenAiFileListQueryDto,
  toOpenAiFileDto,
} from './file.dto';
import { FILE_FORM, readFileForm } from './file-wishes';

const FILE_ID = objectIdParameter('file_id', 'file', 'file');

/** Files of one page. */
const LARGEST_PAGE = 1_000;

@ApiTags('OpenAI files')
@Authenticated()
@KeyScope('openai')
@AuditAdministrators()
@Controller(`${OPENAI_PREFIX}/files`)
export class OpenAiFileController {
  constructor(
    private readonly files: FilesService,
    private readonly receiver: FileReceiver,
  ) {}

  @Post()
  @TakesUpload('only')
  @CountedAs('upload')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.uploadFile',
    summary: 'Upload a file',
    description: 'Send a form with the file. It counts towards your storage, and only you can attach and delete it.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody(FILE_FORM)
  @ApiOkResponse({ type: OpenAiFileDto })
  @OpenAiErrors(
    'files',
    ...bodyFaults('purpose'),
    invalidMultipart(),
    FileEmptyError,
    UploadedFileNotFoundError,
    IdempotencyConflictError,
    UploadTooLargeError,
    StorageQuotaExceededError,
    TooManyBodiesError,
  )
  async create(
    @CurrentContext() { principal }: RequestContext,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OpenAiFileDto> {
    const received = await this.receiver.receive({ request, response, principal, field: 'file' });
    const wishes = await this.receiver.orDiscard(received, () => readFileForm(received.fields));
    const route = { key, route: 'POST /openai/v1/files' };
    return toOpenAiFileDto(await this.files.create(principal, received, wishes, route));
  }

  @Get()
  @ApiOperation({
    operationId: 'openai.listFiles',
    summary: 'List files',
    description: 'Returns the files that you uploaded, and none of other users.',
  })
  @ApiOkResponse({ type: OpenAiFileListDto })
  @OpenAiErrors('files')
  async list(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Query() { purpose: sent, ...query }: OpenAiFileListQueryDto,
  ): Promise<OpenAiFileListDto> {
    const purpose = sent ?? null;
    const list: CursorList<KnowledgeFile> = {
      idOf: ({ id }) => id,
      find: async (cursor) => {
        const id = readObjectId('file', cursor);
        const { items } = await this.files.adjacentPage(userId, purpose, 'ASC', { after: id - 1, limit: 1 });
        return items[0]?.id === id ? id : null;
      },
      read: (direction, part) => this.files.adjacentPage(userId, purpose, direction, part),
    };
    const limit = Math.min(query.limit, LARGEST_PAGE);
    const { rows, hasMore } = await readCursorPage({ ...query, limit }, list);
    return toCursorPage(rows.map(toOpenAiFileDto), hasMore);
  }

  @Get(':file_id')
  @ApiOperation({
    operationId: 'openai.readFile',
    summary: 'Retrieve a file',
    description: 'You can read your own files, and those in collections that you may read.',
  })
  @ApiParam(FILE_ID)
  @ApiOkResponse({ type: OpenAiFileDto })
  @OpenAiErrors('files/{file_id}', UploadedFileNotFoundError)
  async read(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('file_id', new ObjectIdPipe('file')) id: number,
  ): Promise<OpenAiFileDto> {
    return toOpenAiFileDto(await this.files.find(userId, id));
  }

  @Get(':file_id/content')
  @AcceptsAnyType(true)
  @ApiOperation({
    operationId: 'openai.readFileContent',
    summary: 'Download a file',
    description: 'Returns the bytes with their own media type, always as an attachment.',
  })
  @ApiParam(FILE_ID)
  @ApiOkResponse({
    description: 'The bytes of the file.',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '%PDF-1.7 …' } },
  })
  @OpenAiErrors('files/{file_id}/content', UploadedFileNotFoundError)
  async content(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('file_id', new ObjectIdPipe('file')) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return sendContent(response, await this.files.content(userId, id));
  }

  @Delete(':file_id')
  @ApiOperation({
    operationId: 'openai.removeFile',
    summary: 'Delete a file',
    description: 'Removes it from all vector stores, also from those of other users. Only its owner may.',
  })
  @ApiParam(FILE_ID)
  @ApiOkResponse({ type: OpenAiDeletedFileDto })
  @OpenAiErrors('files/{file_id}', UploadedFileNotFoundError, KnowledgeRoleRequiredError)
  async remove(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('file_id', new ObjectIdPipe('file')) id: number,
  ): Promise<OpenAiDeletedFileDto> {
    await this.files.delete(userId, id);
    return { id: toObjectId('file', id), object: 'file', deleted: true };
  }
}
