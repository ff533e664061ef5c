import { Injectable } from '@nestjs/common';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import { type FileReference, InputFiles } from '../../../generation/generation.api';
import type { DocumentBlock, ImageBlock, RequestMessage } from './message-request.schema';

/** A block with an image or a PDF. */
export type FileBlock = ImageBlock | DocumentBlock;

/** The content of the images and files in the messages. */
export type ReadFiles = ReadonlyMap<FileBlock, BinaryPart>;

/** Reads the images and documents of messages. */
@Injectable()
export class RequestFiles {
  constructor(private readonly files: InputFiles) {}

  /**
   * @param userId the user of the request
   * @param signal aborts when the client disconnects
   * @param admit is called before the first file is fetched or decoded
   * @throws one of FILE_ERRORS, RateLimitExceededError, ServiceUnavailableError
   */
  async read(
    userId: number,
    messages: readonly RequestMessage[],
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<ReadFiles> {
    const located = locateFiles(messages);
    if (located.length === 0) {
      return new Map();
    }
    await admit();
    const parts = await this.files.read(
      userId,
      located.map(([, reference]) => reference),
      signal,
      'fetched',
    );
    return new Map(located.map(([block], index) => [block, parts[index] as BinaryPart]));
  }
}

/** The blocks with images and files, and what they refer to. */
export function locateFiles(messages: readonly RequestMessage[]): [FileBlock, FileReference][] {
  return messages.flatMap(({ content }, index) =>
    typeof content === 'string' ? [] : locate(content, `messages.${index}.content`),
  );
}

function locate(blocks: readonly { type: string }[], field: string): [FileBlock, FileReference][] {
  return blocks.flatMap((block, index) => locateIn(block, `${field}.${index}`));
}

function locateIn(block: { type: string }, field: string): [FileBlock, FileReference][] {
  if (isImage(block)) {
    return [[block, referenceOf('image', block.source, null, field)]];
  }
  if (isDocument(block)) {
    const { source, title } = block;
    if (source.type === 'content') {
      return typeof source.content === 'string' ? [] : locate(source.content, `${field}.source.content`);
    }
    return source.type === 'text' ? [] : [[block, referenceOf('file', source, title ?? null, field)]];
  }
  const { content } = block as { content?: unknown };
  return block.type === 'tool_result' && Array.isArray(content) ? locate(content, `${field}.content`) : [];
}

function referenceOf(
  type: FileReference['type'],
  source: { type: 'url'; url: string } | { type: 'base64'; media_type: string; data: string },
  name: string | null,
  field: string,
): FileReference {
  return source.type === 'url'
    ? { field: `${field}.source.url`, type, url: source.url, name, detail: null }
    : {
        field: `${field}.source.data`,
        type,
        url: `data:${source.media_type};base64,${source.data}`,
        name,
        detail: null,
      };
}

export function isImage(block: { type: string }): block is ImageBlock {
  return block.type === 'image';
}

export function isDocument(block: { type: string }): block is DocumentBlock {
  return block.type === 'document';
}
