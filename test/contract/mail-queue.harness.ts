import { resolve } from 'node:path';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { CommonModule } from '../../src/common/common.module';
import { Feature } from '../../src/common/features/feature.decorator';
import { Lifecycle } from '../../src/common/lifecycle';
import { ServiceSecretModule } from '../../src/common/security/service-secret.module';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { MailModule } from '../../src/integrations/mail/mail.module';
import { MailDeliveryError } from '../../src/integrations/mail/mail-delivery.error';
import { type MailOrder, MailQueue } from '../../src/integrations/mail/mail-queue';
import { type MailMessage, MailTransport } from '../../src/integrations/mail/mail-transport';
import { MailWorker } from '../../src/integrations/mail/mail-worker';
import { QueuedMailEntity } from '../../src/integrations/mail/queued-mail.entity';
import { QueuedMailStore } from '../../src/integrations/mail/queued-mail.store';
import { ALREADY_REGISTERED, CODE_MAILS } from '../../src/modules/auth/auth.mails';
import { eventually } from '../support/eventually';
import { partOfService } from '../support/service-features';

/** The mails are sign-in mails, so their texts are too. */
@Feature({
  folder: resolve(__dirname, '../../src/modules/auth'),
  mails: [...Object.values(CODE_MAILS), ALREADY_REGISTERED],
})
class SignInMailsModule {}

/** A transport that records mails and fails on demand. */
export class ScriptedTransport extends MailTransport {
  readonly sent: string[] = [];
  attempts = 0;
  /** Called at each attempt; throws or waits to make it fail or take longer. */
  beforeSend: (message: MailMessage) => Promise<void> | void = () => undefined;
  isAway = false;

  override async send(message: MailMessage): Promise<void> {
    this.attempts++;
    if (this.isAway) {
      throw new MailDeliveryError('unreachable', 'away');
    }
    await this.beforeSend(message);
    this.sent.push(message.to);
  }

  override verify(): Promise<void> {
    return this.isAway ? Promise.reject(new MailDeliveryError('unreachable', 'away')) : Promise.resolve();
  }
}

/** A process that runs only the mail queue. */
export class MailService {
  private offset = 0;
  private present = (): number => Date.now();

  private constructor(private readonly app: INestApplicationContext) {
    this.app.get(Clock).now = () => new Date(this.present() + this.offset);
  }

  /** @param settings DATABASE_URL, SMTP_URL unless the test has its own transport, and other relevant settings */
  static async start(settings: Record<string, string>, transport?: MailTransport): Promise<MailService> {
    const environment = {
      NODE_ENV: 'test',
      MAIL_FROM: 'Chat <chat@service.test>',
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      ...settings,
    };
    const builder = Test.createTestingModule({
      imports: partOfService(environment, [
        DatabaseModule.forRoot(),
        CommonModule,
        ServiceSecretModule,
        MailModule,
        SignInMailsModule,
      ]),
    });
    if (transport) {
      builder.overrideProvider(MailTransport).useValue(transport);
    }
    const app = await builder.compile();
    Logger.overrideLogger(false);
    await app.init();
    await app.get(Database).whenReady();
    return new MailService(app);
  }

  get queue(): MailQueue {
    return this.app.get(MailQueue);
  }

  get store(): QueuedMailStore {
    return this.app.get(QueuedMailStore);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** Makes the worker check the queue now instead of at its next interval. */
  wake(): void {
    this.app.get(MailWorker).wake();
  }

  now(): Date {
    return this.app.get(Clock).now();
  }

  /** Stops the clock, except for `advanceClock`. */
  freezeClock(): void {
    const frozen = this.present();
    this.present = () => frozen;
  }

  advanceClock(milliseconds: number): void {
    this.offset += milliseconds;
  }

  post<Values extends object>(order: MailOrder<Values>): Promise<void> {
    return this.database.write((manager) => this.queue.enqueue(manager, order));
  }

  /** Queues a mail to this address. */
  postTo(to: string, more: Partial<MailOrder<object>> = {}): Promise<void> {
    return this.post({ mail: ALREADY_REGISTERED, to, language: 'en', values: {}, ...more });
  }

  waiting(): Promise<QueuedMailEntity[]> {
    return this.database.repository(QueuedMailEntity).find({ order: { id: 'ASC' } });
  }

  /** Resolves with the only queued mail once its delivery has failed this often. */
  async failedTimes(attempts: number): Promise<QueuedMailEntity> {
    let mail: QueuedMailEntity | undefined;
    await eventually(async () => {
      [mail] = await this.waiting();
      return mail?.attempts === attempts && mail.claimToken === null;
    });
    return mail!;
  }

  async close(): Promise<void> {
    // Like the composition root.
    await this.app.get(Lifecycle).drain();
    await this.app.close();
  }
}
