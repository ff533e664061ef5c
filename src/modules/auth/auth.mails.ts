import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';
import type { CodePurpose } from './codes/verification-code.entity';

/** The three mails with a code differ only in their texts. */
const ONE_TIME_CODE = {
  template: join(__dirname, 'mails/one-time-code.hbs'),
  /** `validSeconds`: how long the code is valid from now. */
  example: { code: '048213', validSeconds: 600 },
};

/** The mail for each purpose of a code. */
export const CODE_MAILS = {
  register: defineMail('register_code', ONE_TIME_CODE),
  login: defineMail('login_code', ONE_TIME_CODE),
  reset_password: defineMail('reset_password_code', ONE_TIME_CODE),
} satisfies Record<Exclude<CodePurpose, 'link_identity'>, object>;

/**
 * The mail with the code that links an identity of a provider. It names the person who wants to sign in, and looks
 * different from a login code.
 */
export const LINK_IDENTITY_CODE = defineMail('link_identity_code', {
  template: join(__dirname, 'mails/link-identity-code.hbs'),
  example: { code: '048213', validSeconds: 600, provider: 'Example Inc.', person: 'Ada Lovelace (ada@example.com)' },
});

/** Sent instead of a code for `register` if the address already has an account. */
export const ALREADY_REGISTERED = defineMail('already_registered', {
  template: join(__dirname, 'mails/already-registered.hbs'),
  example: {},
});

/** Notifies the user that the password was changed or reset. */
export const PASSWORD_CHANGED = defineMail('password_changed', {
  template: join(__dirname, 'mails/password-changed.hbs'),
  example: { changedAt: '2026-03-01T09:05:00.000Z' },
});

/** Invites a person to register, with the link of the invitation. */
export const INVITATION = defineMail('invitation', {
  template: join(__dirname, 'mails/invitation.hbs'),
  example: {
    url: 'https://chat.example.com/console/register?invitation=9tU2bqkXk3yYw1hJrD0aZQ',
    expiresAt: '2026-03-08T09:05:00.000Z',
  },
});
