import type { CreateProviderDto, ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { referenceOf } from '../../../components/admin/model-choice';
import { Dialog } from '../../../components/dialog';
import { numberOf, wordsOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextField, textOf } from '../../../components/form/form';

const t = texts('manage');
const admin = texts('admin');
const shell = texts('shell');

/** Creates or edits a provider. The service never returns its key. */
export function ProviderForm({
  provider,
  onClose,
}: {
  provider: ProviderDto | undefined;
  onClose: () => void;
}): JSX.Element {
  const [removesKey, setRemovesKey] = useState(false);
  const save = async (entries: FormData): Promise<void> => {
    const key = wordsOf(entries, 'api_key');
    const body = {
      name: textOf(entries, 'name'),
      kind: textOf(entries, 'kind') as CreateProviderDto['kind'],
      base_url: wordsOf(entries, 'base_url'),
      model: wordsOf(entries, 'model'),
      context_tokens: numberOf(entries, 'context_tokens'),
      ...(removesKey ? { api_key: null } : key !== null && { api_key: key }),
      ...(entries.has('is_default') && { is_default: true }),
    };
    if (provider) await api.admin.providers.update({ path: { id: referenceOf(provider) }, body });
    else await api.admin.providers.create({ body });
    toast(t(provider ? 'provider_changed' : 'provider_created', { name: body.name }));
    onClose();
  };
  return (
    <Dialog title={provider ? t('edit_provider', { name: provider.name }) : t('create_provider')} onClose={onClose}>
      <Form action={provider ? shell('save') : t('create')} onSubmit={save}>
        <TextField
          name="name"
          label={admin('name')}
          hint={t('provider_name_hint')}
          defaultValue={provider?.name}
          required
          maxLength={64}
          autoComplete="off"
        />
        <Select
          name="kind"
          label={t('kind')}
          choices={['openai-compatible', 'anthropic', 'demo'].map((value) => ({ value, label: value }))}
          value={provider?.kind}
        />
        <TextField
          name="base_url"
          type="url"
          label={t('url')}
          hint={t('base_url_hint')}
          defaultValue={provider?.base_url ?? ''}
          placeholder="https://api.example.com/v1"
        />
        <TextField
          name="api_key"
          type="password"
          label={t('provider_key')}
          hint={t(provider?.has_api_key ? 'provider_key_kept' : 'provider_key_hint')}
          disabled={removesKey}
          autoComplete="off"
        />
        {provider?.has_api_key && (
          <Checkbox name="removes_key" label={t('remove_key')} checked={removesKey} onChange={setRemovesKey} />
        )}
        <TextField
          name="model"
          label={t('default_model')}
          hint={t('provider_model_hint')}
          defaultValue={provider?.model ?? ''}
          autoComplete="off"
        />
        <TextField
          name="context_tokens"
          type="number"
          min={1000}
          label={t('context_tokens')}
          hint={t('context_tokens_hint')}
          defaultValue={provider?.context_tokens ?? ''}
        />
        {!provider?.is_default && <Checkbox name="is_default" label={t('use_as_default')} />}
      </Form>
    </Dialog>
  );
}
