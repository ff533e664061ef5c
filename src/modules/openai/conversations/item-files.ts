import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { isStoredFile, type StoredFile, type StoredMessage } from '../../chat/chat.api';
import { INCLUDED_IMAGES, type Inclusion } from '../included.decorator';
import type { FileUrls } from '../responses/wire/stored-items';

/** The images of messages, for readers who ask for them: they may be large. */
@Injectable()
export class ItemFiles {
  constructor(private readonly blobs: BlobStore) {}

  async urlsOf(message: StoredMessage, included: Inclusion): Promise<FileUrls> {
    const urls = new Map<string, string>();
    for (const { hash, media_type } of imagesOf(message, included)) {
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
