import SMTPPool from 'nodemailer/lib/smtp-pool';
import { MAILS_AT_ONCE } from '../mail-transport';

/** Upper bound of one delivery in milliseconds, all waits together. */
export const SEND_TIMEOUT_MILLISECONDS = 60_000;

/** Options of nodemailer's pool that its types lack. */
interface PoolOptions extends SMTPPool.Options {
  /** How often a mail is moved to another connection when its own breaks; unlimited by default. */
  maxRequeues: number;
}

/**
 * The pool of connections to the server of an SMTP URL; no wait in it is longer than 20 seconds. The query of the URL may
 * hold further options of nodemailer, e.g. `?requireTLS=true`.
 */
export function createSmtpPool(url: string): SMTPPool {
  const options: PoolOptions = {
    // In the form of URL: nodemailer reads addresses by older rules, in which a backslash in a password becomes a
    // slash.
    url: new URL(url).href,
    pool: true,
    maxConnections: MAILS_AT_ONCE,
    maxRequeues: 1,
    dnsTimeout: 5_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    // A relay on this machine usually has a self-signed certificate, and no attacker can be between it and the service.
    ...(isLoopback(url) && { tls: { rejectUnauthorized: false } }),
  };
  return new SMTPPool(options);
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
