import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { MailTrial } from '../../../integrations/mail/mail-trial';
import { UserService } from '../../user/user.api';
import { emailAudit } from '../admin.audit';
import { EMAIL_TEST } from './admin.mails';
import { EmailTestDto, EmailTestResultDto, TestMailResultDto } from './email-test.dto';

/** Sends a test mail. */
@Injectable()
export class EmailTestService {
  constructor(
    private readonly database: Database,
    private readonly mails: MailQueue,
    private readonly trial: MailTrial,
    private readonly users: UserService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Sends a mail at once and returns the mail server's response. */
  async try(context: RequestContext, body: EmailTestDto): Promise<TestMailResultDto> {
    const to = body.to ?? (await this.users.get(context.principal.userId)).email;
    const values = { requestedAt: this.clock.now().toISOString() };
    const { sender, failure, status, message } = await this.trial.send(EMAIL_TEST, to, context.language, values);
    return {
      ok: failure === null,
      to,
      sender,
      delivery: this.trial.hasServer ? 'server' : 'log',
      reason: failure,
      status,
      message,
    };
  }

  /** @throws EmailSendFailedError while the mail server is unavailable */
  async send(context: RequestContext, body: EmailTestDto): Promise<EmailTestResultDto> {
    const to = body.to ?? (await this.users.get(context.principal.userId)).email;
    await this.mails.assertAvailable();
    await this.database.write(async (manager) => {
      await this.mails.enqueue(manager, {
        mail: EMAIL_TEST,
        to,
        language: context.language,
        values: { requestedAt: this.clock.now().toISOString() },
      });
      // Omits the address, because it may belong to another person and the account's erasure would not remove it.
      const nothing = { id: null, userId: null, before: null, after: null };
      await this.events.publish(manager, emailAudit.change('test', nothing));
    });
    return { to, delivery: this.mails.hasServer ? 'server' : 'log' };
  }
}
