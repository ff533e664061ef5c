import { Injectable } from '@nestjs/common';
import { MailConfig } from './mail.config';
import { type Mailbox, parseMailbox } from './mailbox';

const USUAL_NAME = 'AI Chat';

/** The administrators' choices; null where they chose nothing. */
export interface ChosenSender {
  /** A mailbox in the form of `parseMailbox`, instead of `MAIL_FROM`. */
  mail_from: string | null;
  /** Name of the installation, used as the sender's name if the mailbox has none. */
  name: string | null;
}

/** The sender of every mail: the administrators' choice, or `MAIL_FROM`. Its name is the product's name in mails. */
@Injectable()
export class MailSender {
  private read: () => Promise<ChosenSender> = () => Promise.resolve({ mail_from: null, name: null });

  constructor(private readonly config: MailConfig) {}

  /** Sets the function that reads the settings. It is called for each mail. */
  follow(read: () => Promise<ChosenSender>): void {
    this.read = read;
  }

  async current(): Promise<Mailbox> {
    const chosen = await this.read();
    const mailbox = (chosen.mail_from === null ? null : parseMailbox(chosen.mail_from)) ?? this.config.sender;
    return { ...mailbox, name: [mailbox.name, chosen.name].find(Boolean) ?? USUAL_NAME };
  }
}
