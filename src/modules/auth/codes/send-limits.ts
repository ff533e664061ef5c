import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AttemptLog, AttemptRule } from '../attempts/attempt-log';
import { type AccountClient, ownCounter } from '../clients/account-client';
import { CodeConfig } from './code.config';
import { CodeSendTooFrequentError } from './code.errors';
import type { CodePurpose } from './verification-code.entity';

/**
 * Limits how many codes are sent. Each client learns only the limits on its own requests. All unknown clients share the
 * limit of an address, and none of them learns what the others have requested.
 */
@Injectable()
export class SendLimits {
  /** Applies per purpose. */
  private readonly pause: AttemptRule;
  private readonly perAddress: AttemptRule;
  private readonly perClient: AttemptRule;

  constructor(
    private readonly attempts: AttemptLog,
    config: CodeConfig,
  ) {
    this.pause = { kind: 'code-pauses', limits: [{ count: 1, seconds: config.CODE_RESEND_SECONDS }] };
    this.perClient = { kind: 'codes-to-client', limits: [{ count: config.CODE_PER_CLIENT_HOURLY, seconds: 3_600 }] };
    this.perAddress = {
      kind: 'codes-to-address',
      limits: [
        { count: config.CODE_PER_ADDRESS_HOURLY, seconds: 3_600 },
        { count: config.CODE_PER_ADDRESS_DAILY, seconds: 86_400 },
      ],
    };
  }

  /**
   * Within `Database.write`: counts a client's request, whether or not it leads to a mail.
   *
   * @throws CodeSendTooFrequentError when the client itself has made too many requests
   */
  async countRequest(manager: EntityManager, client: AccountClient, purpose: CodePurpose): Promise<void> {
    const own = ownCounter(client);
    const waits = [
      await this.attempts.take(manager, this.perClient, client.name),
      await this.attempts.take(manager, this.perAddress, own),
      await this.attempts.take(manager, this.pause, `${own}\n${purpose}`),
    ];
    const wait = Math.max(...waits);
    if (wait > 0) {
      throw new CodeSendTooFrequentError(wait);
    }
  }

  /**
   * Within `Database.write`: counts a mail for an unknown client. Returns false if unknown clients have reached the
   * limit.
   */
  async countSent(manager: EntityManager, { email, isKnown }: AccountClient, purpose: CodePurpose): Promise<boolean> {
    if (isKnown) {
      return true;
    }
    if ((await this.attempts.take(manager, this.perAddress, email)) > 0) {
      return false;
    }
    const isSent = (await this.attempts.take(manager, this.pause, `${email}\n${purpose}`)) === 0;
    if (!isSent) {
      await this.attempts.removeLast(manager, this.perAddress, email);
    }
    return isSent;
  }
}
