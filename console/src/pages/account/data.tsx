import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, saveFile } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { signOut } from '../../app/session';
import { attempt } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Form, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { PasswordManagerName, withPassword } from './password-proof';

const t = texts('account');

/** Data export and account deletion. */
export function Data(): JSX.Element {
  const [isClosing, setIsClosing] = useState(false);
  const [eraseAt, setEraseAt] = useState<string>();
  if (eraseAt !== undefined) return <Closed eraseAt={eraseAt} />;
  return (
    <Page title={t('data')}>
      <Holds />
      <Export />
      <section class="card stack account-form">
        <h2>{t('close_account')}</h2>
        <p>{t('close_text')}</p>
        <div>
          <Button kind="danger" icon="trash" onClick={() => setIsClosing(true)}>
            {t('close_account_dots')}
          </Button>
        </div>
      </section>
      {isClosing && <CloseDialog onClose={() => setIsClosing(false)} onClosed={setEraseAt} />}
    </Page>
  );
}

/** Legal holds of which the user is informed. Renders nothing if there are none. */
function Holds(): JSX.Element | null {
  const { data } = useLoad(() => api.account.holds(), []);
  if (!data || data.length === 0) return null;
  return (
    <section class="notice warning stack account-form" aria-label={t('holds')}>
      <h2>{t('holds')}</h2>
      <p>{t('holds_text')}</p>
      <ul>
        {data.map(({ id, since }) => (
          <li key={id}>{t('hold_since', { time: formatTime(since) })}</li>
        ))}
      </ul>
    </section>
  );
}

function Export(): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    await attempt(async () => {
      const data = await api.account.export();
      saveFile(JSON.stringify(data, null, 2), `chat-export-${new Date().toISOString().slice(0, 10)}.json`);
    });
    setIsBusy(false);
  };
  return (
    <section class="card stack account-form">
      <h2>{t('export')}</h2>
      <p>{t('export_text')}</p>
      <div>
        <Button icon="download" busy={isBusy} onClick={() => void save()}>
          {t('export_action')}
        </Button>
      </div>
    </section>
  );
}

function CloseDialog({ onClose, onClosed }: { onClose: () => void; onClosed: (eraseAt: string) => void }): JSX.Element {
  const close = async (entries: FormData): Promise<void> => {
    const answer = await withPassword('password', () =>
      api.account.close({ body: { password: textOf(entries, 'password') } }),
    );
    onClosed(answer.erase_at);
  };
  return (
    <Dialog title={t('close_account')} onClose={onClose}>
      <ul>
        <li>{t('close_access')}</li>
        <li>{t('close_keys')}</li>
        <li>{t('close_erase')}</li>
      </ul>
      <Form
        action={t('close_account')}
        isDangerous
        onSubmit={close}
        beside={<Button onClick={onClose}>{t('keep_account')}</Button>}
      >
        <PasswordManagerName />
        <PasswordField label={t('current_password')} name="password" />
      </Form>
    </Dialog>
  );
}

/** The final page. It stays until the user leaves, so that they can read the deletion date. */
function Closed({ eraseAt }: { eraseAt: string }): JSX.Element {
  return (
    <Page title={t('closed')}>
      <div class="notice warning stack account-form">
        <p>{t('closed_text', { time: formatTime(eraseAt) })}</p>
        <div>
          <Button onClick={() => void attempt(signOut)}>{t('leave')}</Button>
        </div>
      </div>
    </Page>
  );
}
