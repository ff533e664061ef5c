import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import { type FileReference, InputFiles } from '../../../generation/generation.api';
import type { CompletionMessage, UserPart } from './message.schema';

/** A part that is an image or a file, with a reference to its content. */
type Located = [UserPart, FileReference];

/** Reads the images and files of messages. */
@Injectable()
export class CompletionFiles {
  constructor(private readonly files: InputFiles) {}

  /**
   * @param userId the user of the request
   * @param signal aborts when the client disconnects
   * @param admit is called before the first file is fetched or decoded
   * @throws InvalidParameterError for a file without content, one of FILE_ERRORS, RateLimitExceededError,
   * ServiceUnavailableError
   */
  async read(
    userId: number,
    messages: readonly CompletionMessage[],
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<ReadonlyMap<UserPart, BinaryPart>> {
    const located = messages.flatMap(locateFiles);
    const references = located.map(([, reference]) => reference);
    if (located.length === 0) {
      return new Map();
    }
    await admit();
    const parts = await this.files.read(userId, references, signal);
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

function referenceOf(part: UserPart, field: string): FileReference | null {
  if (part.type === 'image_url') {
    const { url, detail = null } = part.image_url;
    return { field: `${field}.image_url.url`, type: 'image', url, name: null, detail };
  }
  if (part.type !== 'file') {
    return null;
  }
  const { file_data: url, filename: name = null } = part.file;
  const place = `${field}.file.file_data`;
  if (url === undefined || url === null) {
    throw new InvalidParameterError([{ field: place, reason: 'required' }]);
  }
  return { field: place, type: 'file', url, name, detail: null };
}
