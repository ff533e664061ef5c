import type { CreateWebhookDto, WebhookDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { isAdministrator } from '../../app/visit';
import { Dialog } from '../../components/dialog';
import { Checkbox, Form, Select, TextField, textOf } from '../../components/form/form';
import { Show } from '../../components/states';
import { EventChoice, eventsOf } from './event-choice';
import { NewSecretDialog } from './new-secret';

const t = texts('webhooks');
const shell = texts('shell');

interface WebhookFormProps {
  /** The webhook to edit; absent for a new one. */
  webhook?: WebhookDto;
  onClose: () => void;
}

export function WebhookFormDialog({ webhook, onClose }: WebhookFormProps): JSX.Element {
  const kinds = useLoad(async () => (await api.webhooks.listEvents()).data.items, []);
  const [secret, setSecret] = useState<string>();
  const save = async (entries: FormData): Promise<void> => {
    const body = bodyOf(entries);
    if (!webhook) {
      setSecret((await api.webhooks.create({ body })).data.secret);
      return;
    }
    const { message } = await api.webhooks.update({ path: { id: webhook.id }, body });
    toast(message);
    onClose();
  };
  if (secret !== undefined) return <NewSecretDialog secret={secret} onClose={onClose} />;
  return (
    <Dialog title={webhook ? t('edit_title') : t('add')} onClose={onClose}>
      <Show loaded={kinds}>
        {(catalogue) => (
          <Form action={webhook ? shell('save') : t('add_action')} onSubmit={save}>
            <TextField
              label={t('url')}
              name="url"
              type="url"
              hint={t('url_hint')}
              defaultValue={webhook?.url}
              placeholder="https://hooks.example.com/chat"
              maxLength={2048}
              required
            />
            <EventChoice catalogue={catalogue} chosen={webhook?.events ?? []} />
            <Checkbox label={t('include_content')} name="include_content" checked={webhook?.include_content} />
            {isAdministrator() && (
              <Select
                label={t('scope')}
                name="scope"
                choices={[
                  { value: 'own', label: t('scope_own') },
                  { value: 'all', label: t('scope_all') },
                ]}
                value={webhook?.scope ?? 'own'}
              />
            )}
            <TextField
              label={t('description')}
              name="description"
              hint={t('description_hint')}
              defaultValue={webhook?.description}
              maxLength={500}
            />
          </Form>
        )}
      </Show>
    </Dialog>
  );
}

function bodyOf(entries: FormData): CreateWebhookDto {
  const scope = textOf(entries, 'scope');
  return {
    url: textOf(entries, 'url').trim(),
    events: eventsOf(entries),
    description: textOf(entries, 'description'),
    include_content: entries.has('include_content'),
    ...(scope === 'own' || scope === 'all' ? { scope } : {}),
  };
}
