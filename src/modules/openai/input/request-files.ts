import { Injectable } from '@nestjs/common';
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
import { FilesService, FileTexts, type KnowledgeFile, UploadedFileNotFoundError } from '../../knowledge/knowledge.api';
import { readObjectId } from '../object-ids';
import { LONGEST_TEXT } from './item-text';

/** A name for messages about a file without one. */
const UNNAMED = 'file';

/** Errors for the API document. */
export const REQUEST_FILE_ERRORS = [...FILE_ERRORS, UploadedFileNotFoundError];

/** A file in a request: with its content, or with the id of an uploaded file. */
export type SentFile = FileReference | UploadedFile;

export interface UploadedFile {
  /** The path of the id. */
  field: string;
  type: 'image' | 'file';
  fileId: string;
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
  read(reader: FilesReader, sent: readonly SentFile[]): Promise<BinaryPart[]> {
    const { userId, agent, signal } = reader;
    const always = agent !== null && !this.inputs.of(agent).includes('file');
    const references = sent.map((one) => this.referenceTo(one, reader, always));
    return this.files.read(userId, references, signal);
  }

  private referenceTo(sent: SentFile, { userId, signal }: FilesReader, always: boolean): FileReference {
    const { field } = sent;
    let uploaded: KnowledgeFile | null = null;
    const reference: FileReference = 'fileId' in sent ? { ...sent, url: '', name: null } : sent;
    if ('fileId' in sent) {
      reference.load = async () => {
        uploaded = await this.find(userId, sent);
        return this.load(userId, uploaded);
      };
    }
    const read = (bytes: Buffer, name: string | null): Promise<string> => {
      const file = { field, filename: name ?? UNNAMED, bytes, uploaded };
      return this.texts.read(userId, file, LONGEST_TEXT, signal);
    };
    return { ...reference, asText: { always, read } };
  }

  /** @throws UploadedFileNotFoundError, FileTooLargeError */
  private async find(userId: number, { field, fileId }: UploadedFile): Promise<KnowledgeFile> {
    try {
      const file = await this.uploads.find(userId, readObjectId('file', fileId));
      if (file.bytes > FILE_LIMIT_BYTES) {
        throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
      }
      return file;
    } catch (error) {
      throw error instanceof UploadedFileNotFoundError ? new UploadedFileNotFoundError(field) : error;
    }
  }

  private async load(userId: number, { id, mediaType, filename }: KnowledgeFile): Promise<FoundContent> {
    const { content } = await this.uploads.content(userId, id);
    const bytes = Buffer.concat((await content.toArray()) as Buffer[]);
    return { bytes, declaredType: mediaType, name: filename };
  }
}
