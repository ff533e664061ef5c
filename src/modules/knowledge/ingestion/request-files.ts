import { Injectable } from '@nestjs/common';
import { LONGEST_TEXT } from '../../../common/http/body/json-scan';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { BinaryPart, ImageDetail, SearchedFile } from '../../../integrations/llm/port/message-parts';
import type { ModelsOfAgent } from '../../../integrations/llm/port/model-reference';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import {
  FILE_ERRORS,
  FILE_LIMIT_BYTES,
  type FileReference,
  FileTooLargeError,
  FileTypeNotSupportedError,
  type FoundContent,
  InputFiles,
  UNKNOWN_FORMAT,
} from '../../generation/generation.api';
import { UploadedFileNotFoundError } from '../files/file.errors';
import { fileName } from '../files/file-name';
import { FilesService } from '../files/files.service';
import { isReadable, mediaTypeOf, SAMPLE_BYTES } from '../files/media-type';
import type { KnowledgeFile } from '../tables/knowledge-file.entity';
import { FileTexts } from './file-texts';

/** A name for messages about a file without one. */
const UNNAMED = 'file';

/** Errors for the API document. */
export const REQUEST_FILE_ERRORS = [...FILE_ERRORS, UploadedFileNotFoundError];

/** A file in a request: with its content, or with the id of an uploaded file. */
export type RequestFile = FileReference | UploadedFile;

export interface UploadedFile {
  /** The path of the id. */
  field: string;
  type: 'image' | 'file';
  fileId: number;
  /** The name for models; null: that of the upload. */
  name: string | null;
  detail: ImageDetail | null;
}

/** How a file of a message is to be used: searched, sent to the model, or as it fits. */
export const SENT_USES = ['search', 'whole', 'auto'] as const;

export type SentUse = (typeof SENT_USES)[number];

/** A file of a message: as the model gets it, and as it is searched. Null: not possible, or not wanted. */
export type FileChoice = { whole: BinaryPart; searched: SearchedFile | null } | { whole: null; searched: SearchedFile };

/** The sender of files, and the models that get them. */
export interface FilesReader {
  userId: number;
  /** Null: no model is known yet. */
  agent: ModelsOfAgent | null;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** Reads the images and files of requests. Models that accept no files, or not this one, get its text. */
@Injectable()
export class RequestFiles {
  constructor(
    private readonly files: InputFiles,
    private readonly uploads: FilesService,
    private readonly texts: FileTexts,
    private readonly inputs: ModelInputs,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * @returns the parts, in the same order
   * @throws UploadedFileNotFoundError, the errors of `InputFiles.read` and `FileTexts.read`
   */
  read(reader: FilesReader, sent: readonly RequestFile[]): Promise<BinaryPart[]> {
    const { userId, agent, signal } = reader;
    const always = agent !== null && this.inputs.missing(agent).has('files');
    const references = sent.map((one) => this.referenceTo(one, reader, always));
    return this.files.read(userId, references, signal);
  }

  /**
   * Reads the files of a message to an agent.
   *
   * @returns the choices, in the same order
   * @throws UploadedFileNotFoundError, FileTypeNotSupportedError, the errors of `InputFiles.read`
   */
  async readForChat(reader: FilesReader, sent: readonly (RequestFile & { use: SentUse })[]): Promise<FileChoice[]> {
    const { userId, agent, signal } = reader;
    const acceptsFiles = agent === null || !this.inputs.missing(agent).has('files');
    const uploads = await Promise.all(sent.map((one) => this.uploadOf(userId, one)));
    const searched = sent.map((one, index) => {
      const file = uploads[index];
      return file && mustSearch(one, file, acceptsFiles) ? searchedUpload(one, file) : null;
    });
    const references = sent.flatMap((one, index): FileReference[] => {
      const isWhole = one.type === 'file' && one.use === 'whole';
      const more = isWhole || one.type === 'image' ? {} : { isAnyFormat: true as const };
      const reference = 'fileId' in one ? { ...one, url: '', load: () => this.load(userId, one) } : one;
      return searched[index] ? [] : [{ ...reference, ...more }];
    });
    const parts = await this.files.read(userId, references, signal);
    const choices: FileChoice[] = [];
    for (const [index, one] of sent.entries()) {
      const known = searched[index];
      const upload = uploads[index] ?? null;
      choices.push(
        known
          ? { whole: null, searched: known }
          : await this.choiceOf(one, parts.shift() as BinaryPart, upload, acceptsFiles),
      );
    }
    return choices;
  }

  private async uploadOf(userId: number, sent: RequestFile): Promise<KnowledgeFile | null> {
    return 'fileId' in sent ? this.uploads.find(userId, sent.fileId).catch(at(sent.field)) : null;
  }

  /** @param upload null: the bytes came with the message */
  private async choiceOf(
    { type, field, use }: RequestFile & { use: SentUse },
    part: BinaryPart,
    upload: KnowledgeFile | null,
    acceptsFiles: boolean,
  ): Promise<FileChoice> {
    if (type === 'image' || part.as_text) {
      return { whole: part, searched: null };
    }
    const { data } = part;
    const name = fileName(part.name ?? upload?.filename ?? '');
    const mediaType = upload?.mediaType ?? mediaTypeOf(Buffer.from(data.subarray(0, SAMPLE_BYTES)), name);
    const canSearch = use !== 'whole' && isReadable(mediaType);
    const isAccepted = acceptsFiles && part.media_type !== UNKNOWN_FORMAT;
    const searched: SearchedFile = {
      ...{ type: 'searched_file', media_type: mediaType, name, bytes: data.length },
      ...(upload === null
        ? { hash: await this.blobs.hashOf(data), file_id: null, data }
        : { hash: upload.sha256, file_id: upload.id }),
    };
    if (canSearch && (use === 'search' || !isAccepted)) {
      return { whole: null, searched };
    }
    if (part.media_type === UNKNOWN_FORMAT || use === 'search') {
      throw new FileTypeNotSupportedError(field);
    }
    return { whole: { ...part, use: 'whole' }, searched: canSearch ? searched : null };
  }

  private referenceTo(sent: RequestFile, { userId, signal }: FilesReader, always: boolean): FileReference {
    const { field } = sent;
    let uploaded: KnowledgeFile | null = null;
    const reference: FileReference = 'fileId' in sent ? { ...sent, url: '' } : sent;
    if ('fileId' in sent) {
      reference.load = async () => {
        const found = await this.load(userId, sent);
        uploaded = found.file;
        return found;
      };
    }
    const read = (bytes: Buffer, name: string | null): Promise<string> => {
      const file = { field, filename: name ?? UNNAMED, bytes, uploaded };
      return this.texts.read(userId, file, LONGEST_TEXT, signal);
    };
    return { ...reference, asText: { always, read } };
  }

  /** @throws UploadedFileNotFoundError, FileTooLargeError */
  private async load(userId: number, { field, fileId }: UploadedFile): Promise<FoundContent & { file: KnowledgeFile }> {
    try {
      const file = await this.uploads.find(userId, fileId);
      if (file.bytes > FILE_LIMIT_BYTES) {
        throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
      }
      const { content } = await this.uploads.content(userId, fileId);
      const bytes = Buffer.concat((await content.toArray()) as Buffer[]);
      return { file, bytes, declaredType: file.mediaType, name: file.filename };
    } catch (error) {
      return at(field)(error);
    }
  }
}

/** Names the parameter of a file that is not found. */
function at(field: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof UploadedFileNotFoundError ? new UploadedFileNotFoundError(field) : error;
  };
}

/** Whether an upload can only be searched, so that its bytes need not be read. */
function mustSearch(
  { type, use }: RequestFile & { use: SentUse },
  { bytes, mediaType }: KnowledgeFile,
  acceptsFiles: boolean,
): boolean {
  const isAccepted = acceptsFiles && bytes <= FILE_LIMIT_BYTES;
  return type === 'file' && isReadable(mediaType) && (use === 'search' || (use === 'auto' && !isAccepted));
}

function searchedUpload(
  { name }: RequestFile,
  { id, mediaType, filename, sha256, bytes }: KnowledgeFile,
): SearchedFile {
  const shown = name === null ? filename : fileName(name);
  return { type: 'searched_file', media_type: mediaType, name: shown, hash: sha256, bytes, file_id: id };
}
