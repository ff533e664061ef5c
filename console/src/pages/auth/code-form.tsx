import { isApiError } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatWait } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt } from '../../app/toasts';
import { Button } from '../../components/button';
import { Form, TextField, textOf } from '../../components/form/form';
import { EmailField, typedEmail } from './email-field';
import { useCountdown } from './use-countdown';

const t = texts('auth');

/** Minimum time between codes to one address, unless the service responds with another one. */
const SECONDS_BETWEEN_CODES = 60;

interface CodeFormProps {
  purpose: 'login' | 'register' | 'reset_password' | 'link_identity';
  /** For `link_identity`, where the address is already known. */
  link?: { link_token: string; email: string };
  /** For `register`: permits sign-up while registration is closed. */
  invitation?: string | undefined;
  /** Label of the button of the second step. */
  action: string;
  /** Receives `email`, `code` and the fields in `children`. */
  onSubmit: (entries: FormData) => Promise<unknown>;
  /** Called if sending a code fails. */
  onRefusal?: (error: unknown) => void;
  children?: ComponentChildren;
}

/** A form with two steps: the email address that receives a code, then the code and the fields in `children`. */
export function CodeForm({
  purpose,
  link,
  invitation,
  action,
  onSubmit,
  onRefusal,
  children,
}: CodeFormProps): JSX.Element {
  /** The service's message about the code; undefined before it was requested. */
  const [sent, setSent] = useState<string>();
  const [left, wait] = useCountdown();

  const send = async (): Promise<void> => {
    try {
      const to = link ? { link_token: link.link_token } : { email: typedEmail().value };
      const { message } = await api.auth.sendCode({ body: { ...to, purpose, invitation } });
      setSent(message);
      wait(SECONDS_BETWEEN_CODES);
    } catch (error) {
      onRefusal?.(error);
      if (!isApiError(error, 'CODE_SEND_TOO_FREQUENT')) throw error;
      // The mailbox may contain an earlier code, so the form continues.
      setSent(error.message);
      wait(error.retryAfter ?? SECONDS_BETWEEN_CODES);
    }
  };

  if (sent === undefined) {
    return (
      <Form action={t('send_code')} onSubmit={send}>
        {!link && <EmailField />}
      </Form>
    );
  }
  return (
    <Form action={action} onSubmit={onSubmit}>
      <Sent text={sent} />
      <TextField
        label={t('email')}
        name="email"
        type="email"
        value={link?.email ?? typedEmail().value}
        autocomplete="username"
        readOnly
      />
      <TextField
        label={t('code')}
        name="code"
        hint={t('code_hint')}
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={64}
        required
      />
      <div class="row">
        <Button icon="refresh" disabled={left > 0} onClick={() => void attempt(send)}>
          {left > 0 ? t('resend_in', { time: formatWait(left) }) : t('resend')}
        </Button>
        {!link && (
          <Button kind="quiet" onClick={() => setSent(undefined)}>
            {t('other_address')}
          </Button>
        )}
      </div>
      {children}
    </Form>
  );
}

/** Receives the focus, so that screen readers announce the second step and Tab continues there. */
function Sent({ text }: { text: string }): JSX.Element {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus(), [text]);
  return (
    <p ref={element} class="notice success" tabIndex={-1}>
      {text}
    </p>
  );
}

/** The email address in a `CodeForm` or in the sign-in form. */
export function emailOf(entries: FormData): string {
  return textOf(entries, 'email').trim();
}
