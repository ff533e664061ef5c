import type { TestMailResultDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { user } from '../../../app/visit';
import { wordsOf } from '../../../components/form/entries';
import { Form, TextField } from '../../../components/form/form';

const t = texts('manage');

/** Sends a test email and shows the mail server's response. */
export function TestMail(): JSX.Element {
  const [result, setResult] = useState<TestMailResultDto>();
  const send = async (entries: FormData): Promise<void> => {
    setResult(undefined);
    setResult((await api.admin.settings.testMail({ body: { to: wordsOf(entries, 'to') ?? undefined } })).data);
  };
  return (
    <>
      <h3>{t('test_mail')}</h3>
      <p class="soft">{t('test_mail_hint')}</p>
      <Form action={t('send_mail')} onSubmit={send}>
        <TextField name="to" type="email" label={t('email')} defaultValue={user.value?.email ?? ''} />
      </Form>
      <div role="status">{result && <Result result={result} />}</div>
    </>
  );
}

function Result({ result: { to, sender, delivery, reason, message } }: { result: TestMailResultDto }): JSX.Element {
  if (reason === null) {
    const text = delivery === 'server' ? t('mail_taken', { to, sender }) : t('mail_printed');
    return <p class="notice">{text}</p>;
  }
  return (
    <div class="notice warning stack tight">
      <p>{t(`mail_${reason}`, { to, sender })}</p>
      {message !== null && (
        <p class="soft">
          <bdi>{message}</bdi>
        </p>
      )}
    </div>
  );
}
