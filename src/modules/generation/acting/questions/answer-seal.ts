import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../../common/security/service-secret';
import { TextCipher } from '../../../../common/security/text-cipher';
import { argumentsHash } from '../calling/arguments-hash';
import type { ToolActionEntity } from '../tool-action.entity';

type Sealed = Pick<ToolActionEntity, 'answer' | 'answerHash'>;

/**
 * Encrypts answers to questions of MCP servers until they are delivered, and hashes them to recognize a repeated answer
 * later.
 */
@Injectable()
export class AnswerSeal {
  private readonly cipher: TextCipher;
  private readonly hashKeys: Buffer[];

  constructor(secret: ServiceSecret) {
    this.cipher = new TextCipher(secret.deriveAll('tool-answers'));
    this.hashKeys = secret.deriveAll('tool-answer-hashes');
  }

  seal(answer: Record<string, unknown> | null): Sealed {
    if (answer === null) {
      return { answer: null, answerHash: null };
    }
    const [answerHash] = this.hashesOf(answer);
    return { answer: this.cipher.encrypt(JSON.stringify(answer)), answerHash: answerHash ?? null };
  }

  /** Null: the answer is erased, or was encrypted with another service secret. */
  open({ answer }: Pick<Sealed, 'answer'>): Record<string, unknown> | null {
    const json = answer === null ? null : this.cipher.decryptOrNull(answer);
    return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
  }

  isSame({ answerHash }: Pick<Sealed, 'answerHash'>, answer: Record<string, unknown> | null): boolean {
    return answer === null || answerHash === null
      ? answer === null && answerHash === null
      : this.hashesOf(answer).includes(answerHash);
  }

  /** Keyed, so that a reader of the table cannot find short answers by trial. */
  private hashesOf(answer: Record<string, unknown>): string[] {
    const plain = argumentsHash('', null, answer);
    return this.hashKeys.map((key) => createHmac('sha256', key).update(plain).digest('hex'));
  }
}
