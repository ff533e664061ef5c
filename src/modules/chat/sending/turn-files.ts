import { Injectable, Logger } from '@nestjs/common';
import { BlobStore, type HeldBlob } from '../../../integrations/blob-store/blob-store';
import { DiskFloor } from '../../../integrations/blob-store/disk-floor';
import { fileHashes, isBinary, storeParts, type Turn, type TurnPart } from '../../generation/generation.api';
import { type Keeper, type KeptMessage, StorageService } from '../../usage/usage.api';
import type { StoredTurn } from './exchange-plan';

/** An item counts at least so many bytes: its rows take them without any text. */
const LEAST_BYTES = 256;

/** Bytes of texts whose room is looked for before they are stored: to store and take back much holds up the others. */
const MUCH_TEXT = 65_536;

/**
 * Brings the images and files of turns into the store. Every entry that stores files passes here: `requireRoom` before it
 * fetches or decodes them, `keep` around the transaction that stores the messages, and in it `StorageService.add` with what
 * `keptBy` says.
 */
@Injectable()
export class TurnFiles {
  private readonly logger = new Logger(TurnFiles.name);

  constructor(
    private readonly blobs: BlobStore,
    private readonly disk: DiskFloor,
    private readonly storage: StorageService,
  ) {}

  /** @throws StorageQuotaExceededError, ServiceUnavailableError when the disk has no room for files */
  async requireRoom(keeper: Keeper): Promise<void> {
    await this.storage.requireRoom(keeper);
    await this.disk.requireRoom();
  }

  /**
   * Does `work` with the turns as they are stored. When it fails, the files that only it would have needed are erased: a
   * request that is refused leaves nothing on the disk.
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
      await this.requireRoomFor(keeper, turns, countsTexts);
      return await work(await this.store(turns, held));
    } catch (error) {
      await this.blobs.discard(held).catch((fault: unknown) => {
        this.logger.warn({ error: fault }, 'Files of a refused request stay for an hour.');
      });
      throw error;
    }
  }

  /** @param held gets each file that is stored */
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

  private async requireRoomFor(keeper: Keeper, turns: readonly Turn[], countsTexts: boolean): Promise<void> {
    const sizes = new Map<string, number>();
    for (const { data } of turns.flatMap(({ parts }) => parts ?? []).filter(isBinary)) {
      sizes.set(await this.blobs.hashOf(data), data.length);
    }
    if (sizes.size > 0) {
      await this.disk.requireRoom();
    }
    const texts = countsTexts
      ? turns.reduce((sum, { content, parts }) => sum + itemBytes(content, parts && parts.map(withoutFile)), 0)
      : 0;
    if (sizes.size > 0 || texts > MUCH_TEXT) {
      await this.storage.requireRoomFor(keeper, sizes, texts);
    }
  }
}

/**
 * What a message keeps that is stored from a turn.
 *
 * @param countsTexts whether a program sent it: what people write is limited by the number of their messages
 */
export function keptBy(
  messageId: number,
  { content, stored }: Pick<StoredTurn, 'content' | 'stored'>,
  countsTexts: boolean,
): KeptMessage {
  return { messageId, hashes: fileHashes(stored), textBytes: countsTexts ? itemBytes(content, stored) : 0 };
}

/** Bytes of an item as it is stored: of its text, or of its parts, where it has more than that. */
function itemBytes(content: string, parts: readonly object[] | null): number {
  return Math.max(LEAST_BYTES, Buffer.byteLength(parts === null ? content : JSON.stringify(parts)));
}

function withoutFile(part: TurnPart): object {
  return isBinary(part) ? { ...part, data: undefined } : part;
}
