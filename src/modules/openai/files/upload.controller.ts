import { Controller, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock } from '../../../common/clock';
import { TooManyBodiesError } from '../../../common/errors/common.errors';
import { BodyLimit, LARGE_BODY, TakesUpload } from '../../../common/http/body/body-rules.decorator';
import { invalidMultipart } from '../../../common/http/body/multipart-body';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { toUnixSeconds } from '../../../common/time';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import {
  IDEMPOTENCY_KEY,
  IdempotencyConflictError,
  IdempotencyKey,
  IdempotencyService,
} from '../../generation/generation.api';
import {
  FileReceiver,
  PART_LIMIT,
  UploadEndedError,
  UploadNotFoundError,
  UploadsService,
  UploadTooLargeError,
} from '../../knowledge/knowledge.api';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { objectIdParameter, ObjectIdPipe, readObjectId, toObjectId } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import { RepeatedChanges } from '../repeated-changes';
import { PART_FORM, toFileWishes } from './file-wishes';
import {
  newUpload,
  type NewUploadBody,
  OpenAiUploadDto,
  OpenAiUploadPartDto,
  toOpenAiUploadDto,
  uploadCompletion,
  type UploadCompletionBody,
} from './upload.dto';

const UPLOAD_ID = objectIdParameter('upload_id', 'upload', 'upload');
const FILE = { purpose: 'assistants', bytes: 48_213, filename: 'handbook.pdf', mime_type: 'application/pdf' };

/** A name of the longest form, and the other fields. */
const LARGEST_BODY = 32_768;

@ApiTags('OpenAI files')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/uploads`)
export class OpenAiUploadController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly receiver: FileReceiver,
    private readonly changes: RepeatedChanges,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGEST_BODY)
  @ApiOperation({
    operationId: 'openai.createUpload',
    summary: 'Start an upload in parts',
    description: 'The upload reserves its bytes of your storage. It ends after an hour.',
  })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiNewUpload', newUpload, { upload: { value: FILE } })
  @ApiOkResponse({ type: OpenAiUploadDto })
  @OpenAiErrors(
    'uploads',
    ...bodyFaults('bytes'),
    IdempotencyConflictError,
    UploadTooLargeError,
    StorageQuotaExceededError,
  )
  async create(
    @CurrentContext() { principal }: RequestContext,
    @SchemaBody(newUpload) { bytes, filename, mime_type: mediaType, ...wishes }: NewUploadBody,
    @IdempotencyKey() key: string | null,
  ): Promise<OpenAiUploadDto> {
    const upload = { bytes, filename, mediaType, ...toFileWishes(wishes) };
    return toOpenAiUploadDto(await this.uploads.create(principal, upload, key), this.clock.now());
  }

  @Post(':upload_id/parts')
  @TakesUpload('only')
  @CountedAs('upload')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.addUploadPart',
    summary: 'Upload a part of a file',
    description: 'A part has at most 64 MiB, and an upload at most 1,000 parts. Parts may arrive in any order.',
  })
  @ApiParam(UPLOAD_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody(PART_FORM)
  @ApiOkResponse({ type: OpenAiUploadPartDto })
  @OpenAiErrors(
    'uploads/{upload_id}/parts',
    ...bodyFaults('data'),
    invalidMultipart(),
    UploadEndedError,
    UploadNotFoundError,
    IdempotencyConflictError,
    UploadTooLargeError,
    StorageQuotaExceededError,
    TooManyBodiesError,
  )
  async addPart(
    @CurrentContext() { principal }: RequestContext,
    @Param('upload_id', new ObjectIdPipe('upload')) id: number,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OpenAiUploadPartDto> {
    const { userId } = principal;
    await this.uploads.requirePending(userId, id);
    const received = await this.receiver.receive({ request, response, principal, field: 'data', limit: PART_LIMIT });
    const part = await this.uploads.addPart(userId, id, received, key);
    return {
      id: toObjectId('part', part.id),
      object: 'upload.part',
      created_at: toUnixSeconds(part.createdAt),
      upload_id: toObjectId('upload', id),
    };
  }

  @Post(':upload_id/complete')
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'openai.completeUpload',
    summary: 'Finish an upload',
    description: 'Joins the parts to a file. If the parts are wrong, the upload stays `pending`.',
  })
  @ApiParam(UPLOAD_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiSchemaBody('OpenAiUploadCompletion', uploadCompletion, { parts: { value: { part_ids: ['part_9', 'part_10'] } } })
  @ApiOkResponse({ type: OpenAiUploadDto })
  @OpenAiErrors(
    'uploads/{upload_id}/complete',
    ...bodyFaults('part_ids'),
    UploadEndedError,
    UploadNotFoundError,
    IdempotencyConflictError,
    StorageQuotaExceededError,
    TooManyBodiesError,
  )
  async complete(
    @CurrentContext() { principal }: RequestContext,
    @Param('upload_id', new ObjectIdPipe('upload')) id: number,
    @SchemaBody(uploadCompletion) body: UploadCompletionBody,
    @IdempotencyKey() key: string | null,
  ): Promise<OpenAiUploadDto> {
    const { userId } = principal;
    const partIds = body.part_ids.map((part) => readObjectId('part', part));
    const request = { userId, key, route: `POST /openai/v1/uploads/${id}/complete`, body };
    const completed = await this.idempotency.once(
      request,
      async () => {
        // A repetition with the same parts returns the same file, so the key may be kept afterwards.
        const result = await this.uploads.complete(principal, id, partIds, body.md5 ?? null);
        await this.idempotency.keepAlone(request, { chatId: id, userMessageId: null, messageId: null });
        return result;
      },
      () => this.uploads.find(userId, id),
    );
    return toOpenAiUploadDto(completed, this.clock.now());
  }

  @Post(':upload_id/cancel')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'openai.cancelUpload',
    summary: 'Cancel an upload',
    description: 'Deletes its parts and releases its storage.',
  })
  @ApiParam(UPLOAD_ID)
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiOkResponse({ type: OpenAiUploadDto })
  @OpenAiErrors('uploads/{upload_id}/cancel', UploadEndedError, UploadNotFoundError, IdempotencyConflictError)
  async cancel(
    @CurrentContext() { principal: { userId } }: RequestContext,
    @Param('upload_id', new ObjectIdPipe('upload')) id: number,
    @IdempotencyKey() key: string | null,
  ): Promise<OpenAiUploadDto> {
    const cancelled = await this.changes.run(
      { userId, key, route: `POST /openai/v1/uploads/${id}/cancel`, body: null },
      () => this.uploads.cancel(userId, id),
      { idOf: ({ upload }) => upload.id, read: (uploadId) => this.uploads.find(userId, uploadId) },
    );
    return toOpenAiUploadDto(cancelled, this.clock.now());
  }
}
