import { type AdminUserDto, isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
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

interface Props {
  user: AdminUserDto;
  onChange: () => void;
}

type Question = 'ban' | 'restore' | 'erase';

/** The actions that revoke or restore access. Each explains its effect before it runs. */
export function UserActions({ user, onChange }: Props): JSX.Element {
  const [open, setOpen] = useState<Question>();
  const path = { id: user.id };
  const close = (): void => setOpen(undefined);

  const run = async (action: () => Promise<unknown>, done: string, undo?: () => Promise<unknown>): Promise<void> => {
    const taken = undo && ((): void => void attempt(undo).then(onChange));
    if (await attempt(action)) toast(done, { undo: taken });
    onChange();
  };
  const unban = (): Promise<unknown> => api.admin.users.unban({ path });
  const reopen = (): Promise<unknown> => api.admin.users.restore({ path });
  const closeAccount = async (): Promise<void> => {
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
      if (isApiError(error, 'USERNAME_TAKEN')) setOpen('restore');
      else toast(failureText(error), { isFailure: true });
    }
  };

  return (
    <>
      {user.status === 'suspended' && (
        <Button
          icon="undo"
          title={company('reinstate_hint')}
          onClick={() => void run(() => api.admin.users.reinstate({ path }), company('reinstated'))}
        >
          {company('reinstate')}
        </Button>
      )}
      {user.status === 'closed' ? (
        <Button icon="undo" title={t('restore_hint')} onClick={() => void restore()}>
          {t('restore_account')}
        </Button>
      ) : (
        <>
          {user.status === 'banned' ? (
            <Button title={t('unban_hint')} onClick={() => void run(unban, t('unbanned_done'))}>
              {t('unban')}
            </Button>
          ) : (
            <Button title={t('ban_hint')} onClick={() => setOpen('ban')}>
              {t('ban')}
            </Button>
          )}
          <Button onClick={() => void closeAccount()}>{t('close_account')}</Button>
        </>
      )}
      {user.user_type !== 'admin' && (
        <Button kind="danger" onClick={() => setOpen('erase')}>
          {t('erase_now')}
        </Button>
      )}
      {open === 'ban' && <BanDialog user={user} onChange={onChange} onClose={close} onUndo={unban} />}
      {open === 'restore' && <RestoreDialog user={user} onChange={onChange} onClose={close} />}
      {open === 'erase' && <EraseDialog user={user} onClose={close} />}
    </>
  );
}

type DialogProps = Props & { onClose: () => void };

function BanDialog({ user, onChange, onClose, onUndo }: DialogProps & { onUndo: () => Promise<unknown> }): JSX.Element {
  const ban = async (entries: FormData): Promise<void> => {
    const body = { reason: textOf(entries, 'reason'), until: instantOf(entries, 'until') };
    await api.admin.users.ban({ path: { id: user.id }, body });
    onClose();
    toast(t('banned_done'), { undo: () => void attempt(onUndo).then(onChange) });
    onChange();
  };
  return (
    <Dialog title={t('ban_title', { name: user.username })} onClose={onClose}>
      <p>{t('ban_hint')}</p>
      <Form action={t('ban')} isDangerous onSubmit={ban}>
        <TextField name="reason" label={t('ban_reason')} hint={t('ban_reason_hint')} required maxLength={500} />
        <TextField name="until" type="datetime-local" label={t('banned_until')} hint={t('ban_until_hint')} />
      </Form>
    </Dialog>
  );
}

/** The username was taken while the account was closed. */
function RestoreDialog({ user, onChange, onClose }: DialogProps): JSX.Element {
  const restore = async (entries: FormData): Promise<void> => {
    const body = { username: wordsOf(entries, 'username') ?? undefined };
    await api.admin.users.restore({ path: { id: user.id }, body });
    onClose();
    toast(t('restored_done'));
    onChange();
  };
  return (
    <Dialog title={t('restore_account')} onClose={onClose}>
      <p>{t('name_taken')}</p>
      <Form action={t('restore_account')} onSubmit={restore}>
        <TextField name="username" label={t('username')} required autoComplete="off" />
      </Form>
    </Dialog>
  );
}

function EraseDialog({ user, onClose }: Omit<DialogProps, 'onChange'>): JSX.Element {
  const [, navigate] = useLocation();
  const erase = async (entries: FormData): Promise<void> => {
    const body = { username: textOf(entries, 'username') };
    await api.admin.users.erase({ path: { id: user.id }, body });
    navigate('/admin/users');
    toast(t('erased_done', { name: user.username }));
  };
  return (
    <Dialog title={t('erase_title', { name: user.username })} onClose={onClose}>
      <p>{t('erase_hint')}</p>
      <Form action={t('erase_now')} isDangerous onSubmit={erase}>
        <TextField
          name="username"
          label={t('erase_name', { name: user.username })}
          required
          autoComplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </Form>
    </Dialog>
  );
}
