import { type AdminUserDto, isApiError } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { confirm, Dialog } from '../../../components/dialog';
import { instantOf, wordsOf } from '../../../components/form/entries';
import { Form, TextField, textOf } from '../../../components/form/form';

const t = texts('manage');
const company = texts('company');

/** Id of the section's heading. */
export const DANGER_ZONE = 'danger-zone';

interface Props {
  user: AdminUserDto;
  onChange: () => void;
}

/** Actions that revoke or restore access, each with its effect. */
export function UserAccess({ user, onChange }: Props): JSX.Element {
  const [isBanning, setIsBanning] = useState(false);
  const [isRestoring, setIsRestoring] = useState(false);
  const path = { id: user.id };

  const run = async (action: () => Promise<unknown>, done: string, undo?: () => Promise<unknown>): Promise<void> => {
    const taken = undo && ((): void => void attempt(undo).then(onChange));
    if (await attempt(action)) toast(done, { undo: taken });
    onChange();
  };
  const unban = (): Promise<unknown> => api.admin.users.unban({ path });
  const reinstate = (): Promise<unknown> => api.admin.users.reinstate({ path });
  const reopen = (): Promise<unknown> => api.admin.users.restore({ path });

  const signOut = async (): Promise<void> => {
    const question = {
      title: t('sign_out_everywhere'),
      text: t('sign_out_hint'),
      action: t('sign_out'),
      isDangerous: true,
    };
    if (await confirm(question)) await run(() => api.admin.users.revokeSessions({ path }), t('signed_out'));
  };
  const close = async (): Promise<void> => {
    const title = t('close_title', { name: user.username });
    if (await confirm({ title, text: t('close_hint'), action: t('close_account'), isDangerous: true })) {
      await run(() => api.admin.users.close({ path }), t('closed_done'), reopen);
    }
  };
  const restore = async (): Promise<void> => {
    try {
      await reopen();
      toast(t('restored_done'));
      onChange();
    } catch (error) {
      if (isApiError(error, 'USERNAME_TAKEN')) setIsRestoring(true);
      else toast(failureText(error), { isFailure: true });
    }
  };

  return (
    <section class="card stack danger-zone" aria-labelledby={DANGER_ZONE}>
      <h2 id={DANGER_ZONE} tabIndex={-1}>
        {t('danger_zone')}
      </h2>
      {user.status === 'closed' ? (
        <Step text={t('restore_hint')}>
          <Button icon="undo" onClick={() => void restore()}>
            {t('restore_account')}
          </Button>
        </Step>
      ) : (
        <>
          {user.status === 'banned' ? (
            <Step text={t('unban_hint')}>
              <Button onClick={() => void run(unban, t('unbanned_done'))}>{t('unban')}</Button>
            </Step>
          ) : (
            <Step text={t('ban_hint')}>
              <Button kind="danger" onClick={() => setIsBanning(true)}>
                {t('ban')}
              </Button>
            </Step>
          )}
          {user.status === 'suspended' && (
            <Step text={company('reinstate_hint')}>
              <Button icon="undo" onClick={() => void run(reinstate, company('reinstated'))}>
                {company('reinstate')}
              </Button>
            </Step>
          )}
          <Step text={t('sign_out_hint')}>
            <Button onClick={() => void signOut()}>{t('sign_out_everywhere')}</Button>
          </Step>
          <Step text={t('close_hint')}>
            <Button kind="danger" onClick={() => void close()}>
              {t('close_account')}
            </Button>
          </Step>
        </>
      )}
      {isBanning && (
        <Dialog title={t('ban_title', { name: user.username })} onClose={() => setIsBanning(false)}>
          <p>{t('ban_hint')}</p>
          <Form
            action={t('ban')}
            isDangerous
            onSubmit={async (entries) => {
              const body = { reason: textOf(entries, 'reason'), until: instantOf(entries, 'until') };
              await api.admin.users.ban({ path, body });
              setIsBanning(false);
              toast(t('banned_done'), { undo: () => void attempt(unban).then(onChange) });
              onChange();
            }}
          >
            <TextField name="reason" label={t('ban_reason')} hint={t('ban_reason_hint')} required maxLength={500} />
            <TextField name="until" type="datetime-local" label={t('banned_until')} hint={t('ban_until_hint')} />
          </Form>
        </Dialog>
      )}
      {isRestoring && (
        <Dialog title={t('restore_account')} onClose={() => setIsRestoring(false)}>
          <p>{t('name_taken')}</p>
          <Form
            action={t('restore_account')}
            onSubmit={async (entries) => {
              await api.admin.users.restore({ path, body: { username: wordsOf(entries, 'username') ?? undefined } });
              setIsRestoring(false);
              toast(t('restored_done'));
              onChange();
            }}
          >
            <TextField name="username" label={t('username')} required autoComplete="off" />
          </Form>
        </Dialog>
      )}
    </section>
  );
}

function Step({ text, children }: { text: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="step">
      <p class="soft">{text}</p>
      <div>{children}</div>
    </div>
  );
}
