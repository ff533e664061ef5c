import type { ApiKeyDto, ApiKeyWithTextDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { NewKeyDialog } from '../../../components/api-keys/key-form';
import { Dialog } from '../../../components/dialog';
import { Form, TextField, textOf } from '../../../components/form/form';

const t = texts('account');

/** Rotates a key. The old key stays valid for some hours, so that clients can be updated. */
export function KeyRotationDialog({ apiKey, onClose }: { apiKey: ApiKeyDto; onClose: () => void }): JSX.Element {
  const [made, setMade] = useState<ApiKeyWithTextDto>();
  const rotate = async (entries: FormData): Promise<void> => {
    const hours = Number(textOf(entries, 'grace_hours'));
    setMade(await api.apiKeys.rotate({ path: { id: apiKey.id }, body: { grace_hours: hours } }));
  };
  if (made) return <NewKeyDialog apiKey={made} onClose={onClose} />;
  return (
    <Dialog title={t('rotate_title', { name: apiKey.name })} onClose={onClose}>
      <p>{t('rotate_text')}</p>
      <Form action={t('rotate')} onSubmit={rotate}>
        <TextField
          label={t('grace_hours')}
          name="grace_hours"
          hint={t('grace_hours_hint')}
          type="number"
          min={0}
          max={168}
          defaultValue={24}
          required
        />
      </Form>
    </Dialog>
  );
}
