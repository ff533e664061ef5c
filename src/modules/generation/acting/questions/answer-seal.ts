import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../../common/security/service-secret';
import { TextCipher } from '../../../../common/security/text-cipher';
import { argumentsHash } from '../calling/arguments-hash';
import type { ToolActionEntity } from '../tool-action.entity';

type Sealed = Pick<ToolActionEntity, 'answer' | 'answerHash'>;

/** Keeps answers to questions of servers unreadable until they are delivered, and known again afterwards. */
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

  /** Null: it is erased, or another service secret has sealed it. */
  open({ answer }: Pick<Sealed, 'answer'>): Record<string, unknown> | null {
    const json = answer === null ? null : this.cipher.decryptOrNull(answer);
    return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
  }

  isSame({ answerHash }: Pick<Sealed, 'answerHash'>, answer: Record<string, unknown> | null): boolean {
    return answer === null || answerHash === null
      ? answer === null && answerHash === null
      : this.hashesOf(answer).includes(answerHash);
  }

  /** With a key: whoever reads the table must not find out a short answer by trying. */
  private hashesOf(answer: Record<string, unknown>): string[] {
    const plain = argumentsHash('', null, answer);
    return this.hashKeys.map((key) => createHmac('sha256', key).update(plain).digest('hex'));
  }
}
