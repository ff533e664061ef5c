import { isApiError, type ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import type { KnownProvider } from '../../../components/admin/known-providers';
import { listedModels, referenceOf, useProviders } from '../../../components/admin/model-choice';
import { Dialog } from '../../../components/dialog';
import { wordsOf } from '../../../components/form/entries';
import { EntryError } from '../../../components/form/faults';
import { Checkbox, Form, Select, TextField, textOf } from '../../../components/form/form';
import { ProviderForm } from './provider-form';
import { ProviderTiles } from './provider-tiles';

const t = texts('manage');

/** How many names to try. Another provider may already have the name. */
const MOST_NAMES = 9;

/** Models that cannot chat are suggested last. */
const isForWords = (model: string): boolean => !/embed|bge-|rerank|whisper|tts|dall-e|image|moderation/i.test(model);

interface AddProviderProps {
  /** The provider that the user has chosen on the page, if any. */
  chosen?: KnownProvider;
  onClose: () => void;
}

/** Adds a provider: a tile, its key, and a model that replied to a test. */
export function AddProvider({ chosen, onClose }: AddProviderProps): JSX.Element {
  const [choice, setChoice] = useState<KnownProvider | 'other' | undefined>(chosen);
  if (choice === 'other') return <ProviderForm provider={undefined} onClose={onClose} />;
  if (choice) return <Connecting known={choice} onClose={onClose} />;
  return (
    <Dialog title={t('create_provider')} onClose={onClose}>
      <ProviderTiles onChoose={setChoice} />
    </Dialog>
  );
}

/**
 * The service can only call a provider that it knows. So it is created first, and deleted again unless a model replies
 * to the test.
 */
function Connecting({ known, onClose }: { known: KnownProvider; onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState<{ provider: ProviderDto; models: string[] }>();
  const unproven = useRef<ProviderDto>();
  const drop = async (): Promise<void> => {
    const provider = unproven.current;
    unproven.current = undefined;
    if (provider) await api.admin.providers.remove({ path: { id: referenceOf(provider) } });
  };
  useEffect(() => () => void drop().catch(() => undefined), []);

  const connect = async (entries: FormData): Promise<void> => {
    await drop();
    const provider = await createProvider(known, entries);
    unproven.current = provider;
    try {
      setDraft({ provider, models: (await listedModels(provider)).toSorted(chatsFirst) });
    } catch (error) {
      await drop();
      throw error;
    }
  };
  const save = async (entries: FormData): Promise<void> => {
    if (!draft) return;
    const path = { id: referenceOf(draft.provider) };
    const model = textOf(entries, 'model');
    const { data: result } = await api.admin.providers.test({ path, body: { model } });
    if (!result.ok) throw new EntryError('model', t('test_failed', { message: result.message ?? result.code ?? '' }));
    const is_default = entries.has('is_default') || undefined;
    await api.admin.providers.update({ path, body: { model, is_default } });
    unproven.current = undefined;
    onClose();
    toast(t('provider_created', { name: draft.provider.name }));
  };

  return (
    <Dialog title={t('connect_title', { name: known.label })} onClose={onClose}>
      {draft ? (
        <ModelStep key="model" models={draft.models} onSubmit={save} />
      ) : (
        <Form key="key" action={t('connect')} onSubmit={connect}>
          {!known.isLocal && (
            <TextField
              name="api_key"
              type="password"
              label={t('provider_key')}
              hint={t('provider_key_hint')}
              required
              autoComplete="off"
            />
          )}
          {known.base_url !== null && <Address address={known.base_url} isOpen={known.isLocal} />}
        </Form>
      )}
    </Dialog>
  );
}

/** The address of a known provider rarely changes; that of a local one often does. */
function Address({ address, isOpen = false }: { address: string; isOpen?: boolean }): JSX.Element {
  const field = <TextField name="base_url" type="url" label={t('url')} defaultValue={address} required />;
  if (isOpen) return field;
  return (
    <details>
      <summary>{t('url')}</summary>
      {field}
    </details>
  );
}

function ModelStep({
  models,
  onSubmit,
}: {
  models: string[];
  onSubmit: (entries: FormData) => Promise<void>;
}): JSX.Element {
  const providers = useProviders();
  // An existing default provider stays the default, unless it is the demo.
  const isFirst = providers.every(({ is_default, kind }) => !is_default || kind === 'demo');
  return (
    <Form action={t('test_and_save')} onSubmit={onSubmit}>
      <p class="soft">{t('models_found', { number: models.length })}</p>
      {models.length > 0 ? (
        <Select
          name="model"
          label={t('default_model')}
          choices={models.map((value) => ({ value, label: value }))}
          value={models[0]}
        />
      ) : (
        <TextField name="model" label={t('default_model')} required autoComplete="off" />
      )}
      <Checkbox key={String(isFirst)} name="is_default" label={t('use_as_default')} checked={isFirst} />
    </Form>
  );
}

function chatsFirst(one: string, other: string): number {
  return Number(isForWords(other)) - Number(isForWords(one));
}

async function createProvider({ id, kind }: KnownProvider, entries: FormData): Promise<ProviderDto> {
  const fields = { kind, base_url: wordsOf(entries, 'base_url'), api_key: wordsOf(entries, 'api_key') };
  for (let number = 1; ; number++) {
    try {
      const name = number === 1 ? id : `${id}-${number}`;
      return (await api.admin.providers.create({ body: { ...fields, name } })).data;
    } catch (error) {
      if (!isApiError(error, 'PROVIDER_NAME_TAKEN') || number === MOST_NAMES) throw error;
    }
  }
}
