import { TypeOrmModule } from '@nestjs/typeorm';
import { MailerModule, MailerService } from '@nestjs-modules/mailer';
import { Feature } from '../../common/features/feature.decorator';
import { LoggingConfig } from '../../common/logging/logging.config';
import { LogTransport } from './adapters/log-transport';
import { createSmtpPool, SEND_TIMEOUT_MILLISECONDS } from './adapters/smtp-pool';
import { SmtpTransport } from './adapters/smtp-transport';
import { MailConfig } from './mail.config';
import { MailAvailability } from './mail-availability';
import { MailCipher } from './mail-cipher';
import { MailQueue } from './mail-queue';
import { MailRenderer } from './mail-renderer';
import { MailSender } from './mail-sender';
import { MailTransport } from './mail-transport';
import { MailTrial } from './mail-trial';
import { MailWorker } from './mail-worker';
import { QueuedMailEntity } from './queued-mail.entity';
import { QueuedMailStore } from './queued-mail.store';

const mailer = MailerModule.forRootAsync({
  inject: [MailConfig],
  useFactory: ({ SMTP_URL }: MailConfig) => ({
    // The mailer requires a transport. The JSON one sends nothing.
    transport: SMTP_URL === null ? { jsonTransport: true } : createSmtpPool(SMTP_URL),
    sendTimeout: SEND_TIMEOUT_MILLISECONDS,
  }),
});

/** Another mail service needs one more adapter and one more case here. */
const transport = {
  provide: MailTransport,
  inject: [MailConfig, MailerService, LoggingConfig],
  useFactory: (config: MailConfig, service: MailerService, logging: LoggingConfig): MailTransport =>
    config.SMTP_URL === null ? new LogTransport(logging) : new SmtpTransport(service),
};

/**
 * Mails of the service: a queue in the database, and a worker that sends queued mails. Other modules use only
 * `MailQueue`. Start with `MailWorker`, which takes a mail through its stages: claimed, rendered, sent, removed.
 * `MailTransport` is the port, and its adapters send over SMTP or print to the log.
 */
@Feature({
  folder: __dirname,
  configuration: [MailConfig],
  imports: [TypeOrmModule.forFeature([QueuedMailEntity]), mailer],
  providers: [
    transport,
    MailSender,
    MailRenderer,
    MailCipher,
    QueuedMailStore,
    MailAvailability,
    MailWorker,
    MailQueue,
    MailTrial,
  ],
  exports: [MailQueue, MailSender, MailTrial],
})
export class MailModule {}
