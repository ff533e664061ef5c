import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../../common/security/service-secret';
import { TextCipher } from '../../../../common/security/text-cipher';
import type { CompactionPart } from '../../../../integrations/llm/port/message-parts';

/**
 * Encrypts summaries of conversations, which clients store and send back, with a key derived from the service secret
 * and bound to one user. No client can forge a summary or use one of another user.
 */
@Injectable()
export class CompactionSeal {
  private readonly cipher: TextCipher;
  /** Opened summaries by part and user, because one request opens the same part several times. */
  private readonly opened = new WeakMap<CompactionPart, { userId: number; summary: string | null }>();

  constructor(secret: ServiceSecret) {
    this.cipher = new TextCipher(secret.deriveAll('compactions'));
  }

  seal(userId: number, summary: string): string {
    return this.cipher.encrypt(`${userId}\n${summary}`);
  }

  /** The summary. Null: it belongs to another user or service, or was modified. */
  open(userId: number, part: CompactionPart): string | null {
    let known = this.opened.get(part);
    if (known?.userId !== userId) {
      known = { userId, summary: this.decrypt(userId, part.encrypted_content) };
      this.opened.set(part, known);
    }
    return known.summary;
  }

  private decrypt(userId: number, sealed: string): string | null {
    const owner = `${userId}\n`;
    const opened = this.cipher.decryptOrNull(sealed);
    return opened?.startsWith(owner) ? opened.slice(owner.length) : null;
  }
}
