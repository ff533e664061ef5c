import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { PublicRequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { RegistrationPolicy, User, UserService } from '../../user/user.api';
import { AddressHasher } from '../attempts/address-hasher';
import { AttemptLog, AttemptRule } from '../attempts/attempt-log';
import { ALREADY_REGISTERED, CODE_MAILS } from '../auth.mails';
import { CodeConfig } from './code.config';
import { SendCodeDto } from './code.dto';
import { CodeSendTooFrequentError } from './code.errors';
import { CodeFailures } from './code-failures';
import { VerificationCodes } from './verification-codes';

/** Sends one-time codes. Nobody learns from it whether an address has an account: neither by the answer nor by its time. */
@Injectable()
export class CodeSender {
  private readonly perAddress: AttemptRule;
  private readonly perClient: AttemptRule;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: CodeConfig,
    private readonly users: UserService,
    private readonly registrations: RegistrationPolicy,
    private readonly mails: MailQueue,
    private readonly codes: VerificationCodes,
    private readonly failures: CodeFailures,
    private readonly attempts: AttemptLog,
    private readonly hasher: AddressHasher,
  ) {
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
   * @throws EmailSendFailedError while no mail goes out.
   * @throws CodeSendTooFrequentError when enough codes were asked for.
   * @throws RegistrationDisabledError for purpose `register` while registration is switched off.
   */
  async send(context: PublicRequestContext, request: SendCodeDto): Promise<void> {
    const { email, purpose } = request;
    if (purpose === 'register') {
      await this.registrations.assertMayRegister(email);
    }
    await this.mails.assertAvailable();
    const refusedFor = await this.failures.refusedFor(email);
    if (refusedFor > 0) {
      throw new CodeSendTooFrequentError(refusedFor);
    }
    const user = await this.users.findByEmail(email);
    await this.database.write(async (manager) => {
      await this.assertNotTooFrequent(manager, context, request);
      const { code, expiresAt } = await this.codes.issue(manager, email, purpose);
      await this.enqueue(manager, context, request, user, { code, expiresAt });
    });
  }

  /** The sentence for whoever asked for a code: the same whether or not the address has an account. */
  get sentence(): string {
    return this.mails.hasServer ? 'code_sent' : 'code_printed';
  }

  private async assertNotTooFrequent(
    manager: EntityManager,
    context: PublicRequestContext,
    request: SendCodeDto,
  ): Promise<void> {
    const { email, purpose } = request;
    const waits = [
      await this.attempts.take(manager, this.perClient, normalizeIp(context.address)),
      await this.attempts.take(manager, this.perAddress, email),
    ];
    const lastSentAt = await this.codes.lastSentAt(manager, email, purpose);
    if (lastSentAt) {
      const pauseEnd = lastSentAt.getTime() / 1_000 + this.config.CODE_RESEND_SECONDS;
      waits.push(pauseEnd - this.clock.now().getTime() / 1_000);
    }
    const wait = Math.max(...waits);
    if (wait > 0) {
      throw new CodeSendTooFrequentError(wait);
    }
  }

  /** An unknown address gets a mail that has already expired. It is never sent, but the answer takes the same time. */
  private async enqueue(
    manager: EntityManager,
    context: PublicRequestContext,
    { email, purpose, lang }: SendCodeDto,
    user: User | null,
    { code, expiresAt }: { code: string; expiresAt: Date },
  ): Promise<void> {
    const isRegistration = purpose === 'register';
    const order = {
      to: email,
      language: negotiateLanguage({ body: lang, stored: user?.language, accepted: [context.language] }),
      expiresAt: user || isRegistration ? expiresAt : this.clock.now(),
      dedupeKey: `code:${purpose}:${this.hasher.hash('address', email)}`,
    };
    if (user && isRegistration) {
      await this.mails.enqueue(manager, { ...order, mail: ALREADY_REGISTERED, values: {} });
    } else {
      const values = { code, validSeconds: this.config.CODE_TTL };
      await this.mails.enqueue(manager, { ...order, mail: CODE_MAILS[purpose], values });
    }
  }
}
