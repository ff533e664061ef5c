import type { ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { TextField } from '../form/form';

const t = texts('manage');

/** The provider's identifier in API paths. Providers that are not in the database have no id. */
export function referenceOf({ id, name }: ProviderDto): string {
  return id === null ? name : String(id);
}

/** All providers; empty while they load. */
export function useProviders(): ProviderDto[] {
  const { data } = useLoad(async () => (await api.admin.providers.list({ query: { size: 100 } })).data.items, []);
  return data ?? [];
}

/** Models that a provider lists. Many providers list none or do not respond, so users can also type any name. */
export async function listedModels(provider: ProviderDto): Promise<string[]> {
  const { data } = await api.admin.providers.listModels({ path: { id: referenceOf(provider) } });
  return data.items.map(({ id }) => id);
}

interface ModelFieldProps {
  provider: ProviderDto | undefined;
  value?: string | null;
}

/** A field for a model name, with the listed models as suggestions. */
export function ModelField({ provider, value }: ModelFieldProps): JSX.Element {
  const list = useId();
  const { data = [] } = useLoad(async () => (provider ? listedModels(provider) : []), [provider?.name]);
  return (
    <>
      <TextField
        name="model"
        label={t('model_name')}
        hint={provider?.model ? t('model_default_hint', { model: provider.model }) : t('model_hint')}
        defaultValue={value ?? ''}
        list={list}
        autoComplete="off"
      />
      <datalist id={list}>
        {data.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
