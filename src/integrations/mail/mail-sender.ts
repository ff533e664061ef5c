import { Injectable } from '@nestjs/common';
import { MailConfig } from './mail.config';
import { type Mailbox, parseMailbox } from './mailbox';

const USUAL_NAME = 'AI Chat';

/** What administrators chose; null where they chose nothing. */
export interface ChosenSender {
  /** A mailbox as `parseMailbox` reads it, in place of `MAIL_FROM`. */
  mail_from: string | null;
  /** What the installation calls itself: the sender's name where its mailbox has none. */
  name: string | null;
}

/** From whom every mail is: what administrators chose, else `MAIL_FROM`. Its name is the product's name in mails. */
@Injectable()
export class MailSender {
  private read: () => Promise<ChosenSender> = () => Promise.resolve({ mail_from: null, name: null });

  constructor(private readonly config: MailConfig) {}

  /** Whoever keeps the settings says where they are read, each time anew. */
  follow(read: () => Promise<ChosenSender>): void {
    this.read = read;
  }

  async current(): Promise<Mailbox> {
    const chosen = await this.read();
    const mailbox = (chosen.mail_from === null ? null : parseMailbox(chosen.mail_from)) ?? this.config.sender;
    return { ...mailbox, name: [mailbox.name, chosen.name].find(Boolean) ?? USUAL_NAME };
  }
}
