import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { UserService } from '../../user/user.api';
import { ENDPOINT_DISABLED } from '../webhook.mails';
import { WEBHOOK_DISABLED, type WebhookDisabledData } from './webhook.events';

/** Notifies the owner of an endpoint that the service has disabled, in the same transaction. */
@Injectable()
export class DisabledEndpointMailer {
  constructor(
    private readonly users: UserService,
    private readonly mailQueue: MailQueue,
    events: DomainEvents,
  ) {
    events.on(WEBHOOK_DISABLED, (event, manager) => this.write(manager, event as DomainEvent<WebhookDisabledData>));
  }

  private async write(manager: EntityManager, { userId, data }: DomainEvent<WebhookDisabledData>): Promise<void> {
    const owner = userId && (await this.users.findById(userId));
    if (owner && owner.settings.email_notifications !== false) {
      await this.mailQueue.enqueue(manager, {
        mail: ENDPOINT_DISABLED,
        to: owner.email,
        language: await this.users.languageOf(owner),
        values: { url: data.url, disabledAt: data.disabled_at },
      });
    }
  }
}
