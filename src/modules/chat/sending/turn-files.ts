import { Injectable, Logger } from '@nestjs/common';
import { BlobStore, type HeldBlob } from '../../../integrations/blob-store/blob-store';
import { DiskFloor } from '../../../integrations/blob-store/disk-floor';
import { fileHashes, isBinary, storeParts, type Turn, type TurnPart } from '../../generation/generation.api';
import { type Keeper, type KeptMessage, StorageService } from '../../usage/usage.api';
import type { StoredTurn } from './exchange-plan';

/** The minimum bytes that an item counts, because its rows take this space even without text. */
const LEAST_BYTES = 256;

/**
 * Bytes of text above which the quota is checked first, because storing and rolling back large texts delays other
 * writers.
 */
const MUCH_TEXT = 65_536;

/**
 * Stores the images and files of turns. Every entry point that stores files calls `requireStorage` before it fetches or
 * decodes them, `keep` around the transaction that stores the messages, and in that transaction `StorageService.add`
 * with the result of `keptBy`.
 */
@Injectable()
export class TurnFiles {
  private readonly logger = new Logger(TurnFiles.name);

  constructor(
    private readonly blobs: BlobStore,
    private readonly disk: DiskFloor,
    private readonly storage: StorageService,
  ) {}

  /** @throws StorageQuotaExceededError, ServiceUnavailableError if the disk has no space for files */
  async requireStorage(keeper: Keeper): Promise<void> {
    await this.storage.requireQuota(keeper);
    await this.disk.requireSpace();
  }

  /**
   * Runs `work` with the turns as stored. If it fails, files that no other message refers to are erased, so a refused
   * request leaves nothing on the disk.
   *
   * @param countsTexts see `keptBy`
   * @throws StorageQuotaExceededError, ServiceUnavailableError; then nothing was stored
   */
  async keep<Result>(
    keeper: Keeper,
    turns: readonly Turn[],
    countsTexts: boolean,
    work: (stored: StoredTurn[]) => Promise<Result>,
  ): Promise<Result> {
    const held: HeldBlob[] = [];
    try {
      await this.requireBytes(keeper, turns, countsTexts);
      return await work(await this.store(turns, held));
    } catch (error) {
      await this.blobs.discard(held).catch((fault: unknown) => {
        this.logger.warn({ error: fault }, 'Files of a refused request stay for an hour.');
      });
      throw error;
    }
  }

  /** @param held receives each stored file */
  private async store(turns: readonly Turn[], held: HeldBlob[]): Promise<StoredTurn[]> {
    const put = async (bytes: Uint8Array): Promise<string> => {
      const blob = await this.blobs.hold(bytes);
      held.push(blob);
      return blob.hash;
    };
    const stored: StoredTurn[] = [];
    for (const turn of turns) {
      stored.push({ ...turn, stored: turn.parts && (await storeParts({ put }, turn.parts)) });
    }
    return stored;
  }

  private async requireBytes(keeper: Keeper, turns: readonly Turn[], countsTexts: boolean): Promise<void> {
    const sizes = new Map<string, number>();
    for (const part of turns.flatMap(({ parts }) => parts ?? [])) {
      const data = isBinary(part) || part.type === 'searched_file' ? part.data : undefined;
      if (data !== undefined) {
        sizes.set(await this.blobs.hashOf(data), data.length);
      }
    }
    if (sizes.size > 0) {
      await this.disk.requireSpace();
    }
    const texts = countsTexts
      ? turns.reduce((sum, { content, parts }) => sum + itemBytes(content, parts && parts.map(withoutFile)), 0)
      : 0;
    if (sizes.size > 0 || texts > MUCH_TEXT) {
      await this.storage.requireBytes(keeper, sizes, texts);
    }
  }
}

/**
 * The data of a stored turn that counts for the storage quota.
 *
 * @param countsTexts whether a client sent the text; the text of people is limited by their number of messages
 */
export function toKeptMessage(
  messageId: number,
  { content, stored }: Pick<StoredTurn, 'content' | 'stored'>,
  countsTexts: boolean,
): KeptMessage {
  return { messageId, hashes: fileHashes(stored), textBytes: countsTexts ? itemBytes(content, stored) : 0 };
}

/** Bytes of a stored item: of its text, or of its parts if it has any. */
function itemBytes(content: string, parts: readonly object[] | null): number {
  return Math.max(LEAST_BYTES, Buffer.byteLength(parts === null ? content : JSON.stringify(parts)));
}

function withoutFile(part: TurnPart): object {
  return isBinary(part) ? { ...part, data: undefined } : part;
}
