import { Injectable } from '@nestjs/common';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { isDataUrl, readDataUrl } from './data-url';
import { toBinaryPart } from './file-content';
import type { FileReference, FoundContent } from './file-reference';
import { TooManyFilesError } from './input-file.errors';
import { RemoteFiles } from './remote-files';

/** For the images and files of one request together. */
export const FILE_LIMITS = { limit: 20, limit_bytes: 20 * 1_048_576 };

/** Files of one request that are fetched at once. */
const AT_ONCE = 3;

/** Turns the images and files that a request names into parts of messages. */
@Injectable()
export class InputFiles {
  constructor(private readonly remote: RemoteFiles) {}

  /**
   * @param references all of one request: the limits are for them together
   * @param signal ends the fetching early, because the client is gone
   * @returns their parts, in the same order
   * @throws one of FILE_ERRORS, for the first fault that is found; ServiceUnavailableError when too many files wait
   */
  async read(references: readonly FileReference[], signal: AbortSignal): Promise<BinaryPart[]> {
    const excess = references[FILE_LIMITS.limit];
    if (excess) {
      throw new TooManyFilesError(excess.field, FILE_LIMITS);
    }
    const parts = new Map<FileReference, BinaryPart>();
    let total = 0;
    const take = (reference: FileReference, found: FoundContent): void => {
      total += found.bytes.length;
      if (total > FILE_LIMITS.limit_bytes) {
        throw new TooManyFilesError(reference.field, FILE_LIMITS);
      }
      parts.set(reference, toBinaryPart(reference, found));
    };
    // Nothing is fetched for a request that is refused for what it holds itself.
    for (const reference of references.filter(isInline)) {
      take(reference, readDataUrl(reference));
    }
    for (const reference of references) {
      if (reference.load) {
        take(reference, await reference.load());
      }
    }
    await this.fetchAll(
      references.filter((reference) => !reference.load && !isInline(reference)),
      signal,
      take,
    );
    return references.map((reference) => parts.get(reference) as BinaryPart);
  }

  /** A URL that stands there several times is fetched once. After a fault nothing more is fetched. */
  private async fetchAll(
    references: readonly FileReference[],
    signal: AbortSignal,
    take: (reference: FileReference, found: FoundContent) => void,
  ): Promise<void> {
    const abort = new AbortController();
    const either = AbortSignal.any([signal, abort.signal]);
    const byUrl = new Map<string, FileReference[]>();
    references.forEach((reference) => byUrl.set(reference.url, [...(byUrl.get(reference.url) ?? []), reference]));
    const waiting = [...byUrl.values()];
    const work = async (): Promise<void> => {
      for (let same = waiting.shift(); same !== undefined; same = waiting.shift()) {
        const found = await this.remote.fetch(same[0] as FileReference, either);
        same.forEach((reference) => take(reference, found));
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      abort.abort();
      waiting.length = 0;
    }
  }
}

function isInline({ type, url, load }: FileReference): boolean {
  return load === undefined && (isDataUrl(url) || (type === 'file' && !/^[a-z][a-z0-9+.-]*:/i.test(url)));
}
