import { Rule } from './environment-rules';
import { RunMode } from './run-mode';

/** Texts from examples, and repetitions of one short text. They are not secret. */
const EXAMPLE = /change[-_ ]?(?:me|this|it)|example|your[-_ ]|placeholder|^(.{1,6}?)\1+$/i;

const SHORTEST_SECRET = 32;

const isLongEnough = (secret: string): boolean => Buffer.byteLength(secret) >= SHORTEST_SECRET;

/** The secret from which all others are derived. */
export class SecurityConfig extends RunMode {
  /**
   * Signs tokens and encrypts stored secrets; at least 32 bytes. Development generates one and stores it with the data.
   */
  @Rule<SecurityConfig>(
    ({ JWT_SECRET, isProduction }) => JWT_SECRET !== null || !isProduction,
    'JWT_SECRET is required in production; make one with: openssl rand -base64 48',
  )
  @Rule<SecurityConfig>(
    ({ JWT_SECRET }) => JWT_SECRET === null || !isLongEnough(JWT_SECRET) || !EXAMPLE.test(JWT_SECRET),
    'JWT_SECRET is an example value; make a secret with: openssl rand -base64 48',
  )
  @Rule<SecurityConfig>(
    ({ JWT_SECRET }) => JWT_SECRET === null || isLongEnough(JWT_SECRET),
    `JWT_SECRET must have at least ${SHORTEST_SECRET} bytes; make one with: openssl rand -base64 48`,
  )
  JWT_SECRET: string | null = null;

  /** The former secret after a change of JWT_SECRET. It still verifies and decrypts, but never signs or encrypts. */
  @Rule<SecurityConfig>(
    ({ JWT_SECRET, JWT_SECRET_PREVIOUS }) =>
      JWT_SECRET_PREVIOUS === null ||
      (isLongEnough(JWT_SECRET_PREVIOUS) && !EXAMPLE.test(JWT_SECRET_PREVIOUS) && JWT_SECRET_PREVIOUS !== JWT_SECRET),
    `JWT_SECRET_PREVIOUS must be the secret that JWT_SECRET was before: another one of at least ${SHORTEST_SECRET} bytes`,
  )
  JWT_SECRET_PREVIOUS: string | null = null;
}
