import { Injectable } from '@nestjs/common';

export const COLLECTION_MODES = ['words', 'hybrid'] as const;

/** `words`: keyword search; `hybrid`: with an embedding model also semantic search. */
export type CollectionMode = (typeof COLLECTION_MODES)[number];

/** How collections are searched. The part with the embedding model sets it. */
@Injectable()
export class CollectionModes {
  private read: () => Promise<CollectionMode> = () => Promise.resolve('words');

  /** Call it in a constructor. */
  use(read: () => Promise<CollectionMode>): void {
    this.read = read;
  }

  current(): Promise<CollectionMode> {
    return this.read();
  }
}
