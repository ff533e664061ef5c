import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { UserService } from '../../user/user.api';
import { AuditService } from '../audit/audit.service';
import { EMAIL_TEST } from './admin.mails';
import { EmailTestDto, EmailTestResultDto } from './email-test.dto';

/** Sends a test mail. */
@Injectable()
export class EmailTestService {
  constructor(
    private readonly database: Database,
    private readonly mails: MailQueue,
    private readonly users: UserService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws EmailSendFailedError while the mail server is down. */
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
      // Without the address: it may belong to anybody, and would stay after the erasure of the account.
      await this.audit.record(manager, context, { action: 'email.test', targetType: 'email', targetId: null });
    });
    return { to, delivery: this.mails.hasServer ? 'server' : 'log' };
  }
}
