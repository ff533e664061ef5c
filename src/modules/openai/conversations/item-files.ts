import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { isStoredFile, type StoredMessage } from '../../chat/chat.api';
import { INCLUDED_IMAGES, type Inclusion } from '../included.decorator';
import type { FileUrls } from '../responses/wire/stored-items';

/** The images of messages, for readers who ask for them: they may be large. */
@Injectable()
export class ItemFiles {
  constructor(private readonly blobs: BlobStore) {}

  async urlsOf(messages: readonly StoredMessage[], included: Inclusion): Promise<FileUrls> {
    const urls = new Map<string, string>();
    if (included.has(INCLUDED_IMAGES)) {
      const images = messages.flatMap(({ parts }) => (parts ?? []).filter(isStoredFile));
      for (const { type, hash, media_type } of images) {
        const data = type === 'image' && !urls.has(hash) ? await this.blobs.get(hash) : null;
        if (data !== null) {
          urls.set(hash, `data:${media_type};base64,${data.toString('base64')}`);
        }
      }
    }
    return urls;
  }
}
