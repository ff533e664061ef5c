/** What each kind of mail says besides its fixed text. Instants are ISO 8601, because they wait in the queue as JSON. */
export interface MailValues {
  /** Confirms the address of a new account. */
  register_code: OneTimeCode;
  login_code: OneTimeCode;
  reset_password_code: OneTimeCode;
  /** Instead of a register code, when the address has an account. */
  already_registered: Record<string, never>;
  /** An administrator tries the mail settings. */
  email_test: { requestedAt: string };
  /** Deliveries to an endpoint failed for too long, or it answered 410. */
  webhook_disabled: { url: string; disabledAt: string };
  /** Notice that the password was changed or reset. */
  password_changed: { changedAt: string };
  /** Notice that the account is closed and when its content goes. */
  account_deleted: { eraseAt: string };
  /** Notice that a closed account is open again. */
  account_restored: Record<string, never>;
}

export interface OneTimeCode {
  code: string;
  /** How long the code is valid from now, in seconds. */
  validSeconds: number;
}

export type MailKind = keyof MailValues;
