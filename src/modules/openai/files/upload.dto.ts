import { ApiProperty } from '@nestjs/swagger';
import * as v from 'valibot';
import { toUnixSeconds } from '../../../common/time';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import { FILE_PURPOSES, type FilePurpose, type FoundUpload } from '../../knowledge/knowledge.api';
import { sentId, toObjectId } from '../object-ids';
import { OpenAiFileDto, toOpenAiFileDto } from './file.dto';
import { fileWishes } from './file-wishes';

const MOST_PARTS = 1_000;

/** The body of `POST /uploads`. */
export const newUpload = v.object({
  ...fileWishes.entries,
  bytes: described(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER)),
    'Size of the whole file.',
    48_213,
  ),
  filename: described(v.pipe(v.string(), maxCharacters(1_024)), 'Name of the file.', 'handbook.pdf'),
  mime_type: described(
    v.pipe(v.string(), maxCharacters(255)),
    'Media type of the file. The bytes decide.',
    'application/pdf',
  ),
});

/** The body of `POST /uploads/{id}/complete`. */
export const uploadCompletion = v.object({
  part_ids: described(v.pipe(v.array(sentId), v.maxLength(MOST_PARTS)), 'All parts, in the order of the file.', [
    toObjectId('part', 9),
  ]),
  md5: described(
    v.nullish(v.pipe(v.string(), maxCharacters(32))),
    'MD5 of the whole file, in hexadecimal digits.',
    '0cc175b9c0f1b6a831c399e269772661',
  ),
});

export type NewUploadBody = v.InferOutput<typeof newUpload>;
export type UploadCompletionBody = v.InferOutput<typeof uploadCompletion>;

const STATUSES = ['pending', 'completed', 'cancelled', 'expired'] as const;

/** A file that is uploaded in parts. */
export class OpenAiUploadDto {
  /** `upload_` and the id of the upload. @example "upload_2" */
  id: string;

  /** Always `upload`. @example "upload" */
  object: 'upload';

  /** Announced size of the file. @example 48213 */
  bytes: number;

  /** When it was created, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** When it ends if it is not completed, in Unix seconds. @example 1769855400 */
  @ApiProperty({ type: 'integer' })
  expires_at: number;

  /** Name of the file. @example "handbook.pdf" */
  filename: string;

  /** What the file is for. @example "assistants" */
  @ApiProperty({ enum: FILE_PURPOSES })
  purpose: FilePurpose;

  /** `pending`: it takes parts. @example "pending" */
  @ApiProperty({ enum: STATUSES })
  status: (typeof STATUSES)[number];

  /** The completed file; null before that, and after its deletion. */
  @ApiProperty({ type: OpenAiFileDto, nullable: true, example: null })
  file: OpenAiFileDto | null;
}

/** A part of an upload. */
export class OpenAiUploadPartDto {
  /** `part_` and the id of the part. @example "part_9" */
  id: string;

  /** Always `upload.part`. @example "upload.part" */
  object: 'upload.part';

  /** When it was received, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** The upload. @example "upload_2" */
  upload_id: string;
}

export function toOpenAiUploadDto({ upload, file }: FoundUpload, now: Date): OpenAiUploadDto {
  const { id, bytes, createdAt, expiresAt, filename, purpose, status } = upload;
  return {
    id: toObjectId('upload', id),
    object: 'upload',
    bytes,
    created_at: toUnixSeconds(createdAt),
    expires_at: toUnixSeconds(expiresAt),
    filename,
    purpose,
    status: status === 'pending' && expiresAt <= now ? 'expired' : status,
    file: file && toOpenAiFileDto(file),
  };
}
