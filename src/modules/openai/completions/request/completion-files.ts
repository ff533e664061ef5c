import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import { type FilesReader, type RequestFile, RequestFiles } from '../../../knowledge/knowledge.api';
import { readObjectId } from '../../object-ids';
import type { CompletionMessage, UserPart } from './message.schema';

/** A part that is an image or a file, with its content or its id. */
type Located = [UserPart, RequestFile];

/** Reads the images and files of messages. */
@Injectable()
export class CompletionFiles {
  constructor(private readonly files: RequestFiles) {}

  /**
   * @param admit is called before the first file is fetched or decoded
   * @throws InvalidParameterError for a file without content, one of FILE_ERRORS, RateLimitExceededError,
   * ServiceUnavailableError
   */
  async read(
    reader: FilesReader,
    messages: readonly CompletionMessage[],
    admit: () => Promise<void>,
  ): Promise<ReadonlyMap<UserPart, BinaryPart>> {
    const located = messages.flatMap(locateFiles);
    const references = located.map(([, reference]) => reference);
    if (located.length === 0) {
      return new Map();
    }
    await admit();
    const parts = await this.files.read(reader, references);
    return new Map(located.map(([part], index) => [part, parts[index] as BinaryPart]));
  }
}

function locateFiles(message: CompletionMessage, index: number): Located[] {
  if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') {
    return [];
  }
  return message.content.flatMap((part, place): Located[] => {
    const reference = referenceOf(part, `messages[${index}].content[${place}]`);
    return reference === null ? [] : [[part, reference]];
  });
}

function referenceOf(part: UserPart, field: string): RequestFile | null {
  if (part.type === 'image_url') {
    const { url, detail = null } = part.image_url;
    return { field: `${field}.image_url.url`, type: 'image', url, name: null, detail };
  }
  if (part.type !== 'file') {
    return null;
  }
  const { file_data: url, filename: name = null, file_id: id } = part.file;
  if (id !== undefined && id !== null) {
    const fileId = readObjectId('file', id);
    return { field: `${field}.file.file_id`, type: 'file', fileId, name: null, detail: null };
  }
  const place = `${field}.file.file_data`;
  if (url === undefined || url === null) {
    throw new InvalidParameterError([{ field: place, reason: 'required' }]);
  }
  return { field: place, type: 'file', url, name, detail: null };
}
