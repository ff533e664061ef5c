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

/** How often the service sends a code to an address; when it says otherwise, that counts. */
const SECONDS_BETWEEN_CODES = 60;

interface CodeFormProps {
  purpose: 'login' | 'register' | 'reset_password' | 'link_identity';
  /** For `link_identity`: where the code goes is settled. */
  link?: { link_token: string; email: string };
  /** For `register`: lets the person in where registration is closed. */
  invitation?: string | undefined;
  /** The word on the button of the second step. */
  action: string;
  /** Gets `email`, `code` and what `children` ask for. */
  onSubmit: (entries: FormData) => Promise<unknown>;
  /** Told when sending a code fails. */
  onRefusal?: (error: unknown) => void;
  children?: ComponentChildren;
}

/** First the address, to which a code is sent; then the code, and what else is asked. */
export function CodeForm({
  purpose,
  link,
  invitation,
  action,
  onSubmit,
  onRefusal,
  children,
}: CodeFormProps): JSX.Element {
  /** What the service said about the code; undefined before it was asked. */
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
      // An earlier code may be in the mailbox, so the way goes on.
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

/** Gets the focus, so that the second step is heard and the next Tab leads into it. */
function Sent({ text }: { text: string }): JSX.Element {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus(), [text]);
  return (
    <p ref={element} class="notice success" tabIndex={-1}>
      {text}
    </p>
  );
}

/** The address of a form of `CodeForm` or of the sign-in. */
export function emailOf(entries: FormData): string {
  return textOf(entries, 'email').trim();
}
