import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../../common/security/service-secret';
import { TextCipher } from '../../../../common/security/text-cipher';
import type { CompactionPart } from '../../../../integrations/llm/port/message-parts';

/**
 * Seals summaries of conversations, which clients keep and send back: with a key made from the service's secret, and for one
 * user. So nobody can write one, and nobody can use that of somebody else.
 */
@Injectable()
export class CompactionSeal {
  private readonly cipher: TextCipher;
  /** Summaries by the part that was opened and its user: one request asks for the same several times. */
  private readonly opened = new WeakMap<CompactionPart, { userId: number; summary: string | null }>();

  constructor(secret: ServiceSecret) {
    this.cipher = new TextCipher(secret.deriveAll('compactions'));
  }

  seal(userId: number, summary: string): string {
    return this.cipher.encrypt(`${userId}\n${summary}`);
  }

  /** The summary; null for one of another user, of another service, or that was changed. */
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
