import { Injectable } from '@nestjs/common';
import { LONGEST_TEXT } from '../../../common/http/body/json-scan';
import type { BinaryPart, ImageDetail } from '../../../integrations/llm/port/message-parts';
import type { ModelsOfAgent } from '../../../integrations/llm/port/model-reference';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import {
  FILE_ERRORS,
  FILE_LIMIT_BYTES,
  type FileReference,
  FileTooLargeError,
  type FoundContent,
  InputFiles,
} from '../../generation/generation.api';
import { UploadedFileNotFoundError } from '../files/file.errors';
import { FilesService } from '../files/files.service';
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
      throw error instanceof UploadedFileNotFoundError ? new UploadedFileNotFoundError(field) : error;
    }
  }
}
