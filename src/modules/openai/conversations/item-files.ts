import { Injectable } from '@nestjs/common';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { type StoredMessage } from '../../chat/chat.api';
import { isStoredFile, type StoredFile } from '../../generation/generation.api';
import { INCLUDED_IMAGES, type Inclusion } from '../included.decorator';
import type { FileUrls } from '../responses/wire/stored-items';

/** Messages whose images are made ready at once, and that wait for it: those of one take 50 MiB until they are sent. */
const AT_ONCE = 2;
const MOST_WAITING = 1_000;

/** The images of messages, for readers who ask for them: they may be large. */
@Injectable()
export class ItemFiles {
  private readonly turns = bulkhead(AT_ONCE, MOST_WAITING);

  constructor(private readonly blobs: BlobStore) {}

  /** @throws ServiceUnavailableError while the store is away, or too many wait */
  async urlsOf(message: StoredMessage, included: Inclusion): Promise<FileUrls> {
    const images = imagesOf(message, included);
    try {
      return images.length === 0 ? new Map() : await this.turns.execute(() => this.read(images));
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error) : error;
    }
  }

  private async read(images: readonly StoredFile[]): Promise<FileUrls> {
    const urls = new Map<string, string>();
    for (const { hash, media_type } of images) {
      const data = urls.has(hash) ? null : await this.blobs.get(hash);
      if (data !== null) {
        urls.set(hash, `data:${media_type};base64,${data.toString('base64')}`);
      }
    }
    return urls;
  }
}

/** About the length of the URLs of a message's images. */
export function urlBytes(message: StoredMessage, included: Inclusion): number {
  return imagesOf(message, included).reduce((sum, { bytes }) => sum + Math.ceil((bytes * 4) / 3), 0);
}

function imagesOf({ parts }: StoredMessage, included: Inclusion): StoredFile[] {
  return included.has(INCLUDED_IMAGES) ? (parts ?? []).filter(isStoredFile).filter(({ type }) => type === 'image') : [];
}
