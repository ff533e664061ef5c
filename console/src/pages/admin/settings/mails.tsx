import type { SettingsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { wordsOf } from '../../../components/form/entries';
import { Form, TextField } from '../../../components/form/form';

const t = texts('manage');
const shell = texts('shell');

export function Mails({ settings, onChange }: { settings: SettingsDto; onChange: () => void }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    await api.admin.settings.update({ body: { mail_from: wordsOf(entries, 'mail_from') } });
    const body = { mail_from: settings.mail_from };
    toast(shell('saved'), { undo: () => void attempt(() => api.admin.settings.update({ body })).then(onChange) });
    onChange();
  };
  return (
    <Form action={shell('save')} onSubmit={save}>
      <TextField
        name="mail_from"
        label={t('mail_sender')}
        hint={t('mail_sender_hint')}
        maxLength={320}
        defaultValue={settings.mail_from ?? ''}
        dir="auto"
      />
    </Form>
  );
}
