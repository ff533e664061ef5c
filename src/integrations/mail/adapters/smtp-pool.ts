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
 * The pool of connections to the server of an SMTP URL, no wait longer than seconds. Further options of nodemailer may
 * stand in the URL's query, e.g. `?requireTLS=true`.
 */
export function createSmtpPool(url: string): SMTPPool {
  const options: PoolOptions = {
    // As URL writes it: nodemailer reads addresses by older rules, which take a backslash in a password for a slash.
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
    // A relay on this machine has a self-made certificate as a rule, and nobody stands in between.
    ...(isLoopback(url) && { tls: { rejectUnauthorized: false } }),
  };
  return new SMTPPool(options);
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
