import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { PersonalDataRegistry } from '../../user/user.api';
import { GuardMaskEntity } from './guard-mask.entity';
import { type MaskPair, Masks } from './masks';

/** Reads and stores the masked values of conversations, encrypted. */
@Injectable()
export class ConversationMasks {
  private readonly logger = new Logger(ConversationMasks.name);
  private readonly cipher: TextCipher;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    secret: ServiceSecret,
    registry: PersonalDataRegistry,
  ) {
    this.cipher = new TextCipher(secret.deriveAll('guard-masks'));
    registry.register({
      name: 'masks',
      entities: [GuardMaskEntity],
      rows: (userId) => registry.read(GuardMaskEntity, userId, (row) => this.toExport(row)),
      erase: (userId) => registry.delete(GuardMaskEntity, userId),
    });
    if (secret.isBeingRotated) {
      database.onReady(() => this.renewAll());
    }
  }

  /** @param chatId null for a request without a conversation, whose values are not stored */
  async load(chatId: number | null): Promise<Masks> {
    return new Masks(chatId === null ? [] : await this.pairsOf(chatId));
  }

  /**
   * Stores new values before anything that contains their masks is sent or stored.
   *
   * @returns false if another instance has used the same numbers: the masks are read again, and the caller masks its
   *   texts again
   */
  async save(masks: Masks, { userId, chatId }: { userId: number; chatId: number | null }): Promise<boolean> {
    const { unsaved } = masks;
    if (chatId === null || unsaved.length === 0) {
      masks.markSaved();
      return true;
    }
    const createdAt = this.clock.now();
    try {
      await this.database.write(async (manager) => {
        const added = unsaved.filter(({ isStored }) => !isStored);
        const rows = added.map((pair) => ({ userId, chatId, ...this.toRow(pair), createdAt }));
        await insertBatch(manager, GuardMaskEntity, rows);
        for (const { type, number, restore } of unsaved.filter(({ isStored }) => isStored)) {
          await updateRows(manager, GuardMaskEntity, { restore }, { chatId, type, number });
        }
      });
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
      masks.reload(await this.pairsOf(chatId));
      return false;
    }
    masks.markSaved();
    return true;
  }

  /** Within `Database.write`: erases the values of conversations. */
  async forget(manager: EntityManager, chatIds: readonly number[]): Promise<void> {
    await deleteRows(manager, GuardMaskEntity, { chatId: In([...chatIds]) });
  }

  private async pairsOf(chatId: number): Promise<MaskPair[]> {
    const rows = await findRows(this.database.manager, GuardMaskEntity, { chatId });
    return rows.flatMap(({ type, number, sealed, restore }) => {
      const value = this.cipher.decryptOrNull(sealed);
      return value === null ? [] : [{ type, number, value, restore, isStored: true }];
    });
  }

  private toRow({ type, number, value, restore }: MaskPair): Pick<
    GuardMaskEntity,
    keyof MaskPair & keyof GuardMaskEntity
  > & {
    sealed: string;
  } {
    return { type, number, restore, sealed: this.cipher.encrypt(value) };
  }

  private toExport({ chatId, type, number, sealed, createdAt }: GuardMaskEntity): object {
    return {
      chat_id: chatId,
      mask: `[${type}_${number}]`,
      value: this.cipher.decryptOrNull(sealed),
      created_at: createdAt.toISOString(),
    };
  }

  /** Encrypts all values with the new service secret while the previous one can still decrypt them. */
  private async renewAll(): Promise<void> {
    let renewed = 0;
    for await (const batch of keysetBatches(
      this.database.manager,
      GuardMaskEntity,
      {},
      { members: ['id', 'sealed'] },
    )) {
      const changes = batch.flatMap(({ id, sealed }) => {
        const fresh = this.cipher.renew(sealed);
        return fresh === null ? [] : [{ id, sealed: fresh }];
      });
      if (changes.length > 0) {
        await this.database.write(async (manager) => {
          for (const { id, sealed } of changes) {
            await updateRows(manager, GuardMaskEntity, { sealed }, { id });
          }
        });
      }
      renewed += changes.length;
    }
    if (renewed > 0) {
      this.logger.log({ masks: renewed }, 'Masked values are now encrypted under the new JWT_SECRET.');
    }
  }
}
