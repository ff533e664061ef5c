import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../../common/security/service-secret';
import { TextCipher } from '../../../../common/security/text-cipher';
import type { CompactionPart } from '../../../../integrations/llm/message-parts';

/**
 * Seals summaries of conversations, which clients keep and send back: with a key made from the service's secret, and for one
 * user. So nobody can write one, and nobody can use that of somebody else.
 */
@Injectable()
export class CompactionSeal {
  private readonly cipher: TextCipher;

  constructor(secret: ServiceSecret) {
    this.cipher = new TextCipher(secret.deriveAll('compactions'));
  }

  seal(userId: number, summary: string): string {
    return this.cipher.encrypt(`${userId}\n${summary}`);
  }

  /** The summary; null for one of another user, of another service, or that was changed. */
  open(userId: number, { encrypted_content: sealed }: CompactionPart): string | null {
    if (!this.cipher.canDecrypt(sealed)) {
      return null;
    }
    const owner = `${userId}\n`;
    const opened = this.cipher.decrypt(sealed);
    return opened.startsWith(owner) ? opened.slice(owner.length) : null;
  }
}
