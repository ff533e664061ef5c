import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Language } from '../../common/i18n/language';
import { withTimeout } from '../../common/time';
import type { MailDefinition } from './mail-definition';
import { MailDeliveryError } from './mail-delivery.error';
import { MailRenderer } from './mail-renderer';
import { MailSender } from './mail-sender';
import { MailTransport } from './mail-transport';

/**
 * Why a mail server did not accept a mail: it was not reached or did not answer in time, refused the login, the
 * encryption, the sender or the recipient, or refused for another reason.
 */
export const MAIL_FAILURES = [
  'unreachable',
  'timeout',
  'login_refused',
  'encryption_failed',
  'sender_refused',
  'receiver_refused',
  'refused',
] as const;
export type MailFailure = (typeof MAIL_FAILURES)[number];

export interface MailTrialResult {
  /** The sender as in the mail's headers. */
  sender: string;
  /** Null if the mail server has accepted the mail. */
  failure: MailFailure | null;
  /** The server's reply code (RFC 5321 §4.2.3); null if there was none. */
  status: number | null;
  /** The message of the server or the system; null if there was none. */
  message: string | null;
}

/** Limits the time that the caller waits for a slow server. */
const TRIAL_MILLISECONDS = 30_000;

/** In characters. */
const LONGEST_MESSAGE = 500;

/** The members of nodemailer's errors. */
interface SmtpFailure {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
  response?: unknown;
  message?: unknown;
}

/** Sends a mail at once, without the queue, and returns the outcome. */
@Injectable()
export class MailTrial {
  constructor(
    private readonly senders: MailSender,
    private readonly renderer: MailRenderer,
    private readonly transport: MailTransport,
  ) {}

  get hasServer(): boolean {
    return !this.transport.isOnlyLog;
  }

  /** @param to one plain, validated address */
  async send<Values extends object>(
    mail: MailDefinition<Values>,
    to: string,
    language: Language,
    values: Values,
  ): Promise<MailTrialResult> {
    const content = {
      kind: mail.kind,
      recipient: to,
      language,
      values: Object.fromEntries(Object.entries(values)),
      messageId: randomUUID(),
    };
    const from = await this.senders.current();
    const sender = `${from.name} <${from.address}>`;
    const sent = this.transport.send(this.renderer.render(content, from)).then(
      () => null,
      (error: Error) => error,
    );
    const failure = await withTimeout(sent, TRIAL_MILLISECONDS, () => TIMED_OUT);
    if (failure === null) {
      return { sender, failure: null, status: null, message: null };
    }
    if (typeof failure === 'symbol') {
      return { sender, failure: 'timeout', status: null, message: null };
    }
    if (!(failure instanceof MailDeliveryError)) {
      throw failure;
    }
    return { sender, ...explain(failure.cause ?? {}) };
  }
}

const TIMED_OUT = Symbol('timed out');

function explain({ code, command, responseCode, response, message }: SmtpFailure): Omit<MailTrialResult, 'sender'> {
  const said = [response, message].find((text) => typeof text === 'string' && text !== '') as string | undefined;
  return {
    failure: failureOf(String(code), String(command), String(message)),
    status: typeof responseCode === 'number' ? responseCode : null,
    message: said?.replace(/\s+/g, ' ').slice(0, LONGEST_MESSAGE) ?? null,
  };
}

function failureOf(code: string, command: string, message: string): MailFailure {
  if (['EAUTH', 'ENOAUTH', 'EOAUTH2'].includes(code)) {
    return 'login_refused';
  }
  if (['ETLS', 'EREQUIRETLS'].includes(code) || /certificate|\bSSL\b|\bTLS\b/i.test(message)) {
    return 'encryption_failed';
  }
  if (code === 'ETIMEDOUT') {
    return 'timeout';
  }
  if (['ECONNECTION', 'EDNS', 'ESOCKET', 'EPROXY', 'ECONNREFUSED', 'ENOTFOUND'].includes(code)) {
    return 'unreachable';
  }
  if (command === 'MAIL FROM') {
    return 'sender_refused';
  }
  return command === 'RCPT TO' ? 'receiver_refused' : 'refused';
}
