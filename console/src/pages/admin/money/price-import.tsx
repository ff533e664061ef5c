import type { PriceImportDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDay } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { EntryError } from '../../../components/form/faults';
import { Checkbox, Field, Form, Select, TextField, textOf } from '../../../components/form/form';
import { Show } from '../../../components/states';
import { Differences } from './price-differences';
import { guess, mapOf, type PriceFile, providersOf, readBundled, readChosen } from './price-file';

const t = texts('money');
const manage = texts('manage');

export type { PriceFile };

type Query = Parameters<typeof api.admin.prices.import>[0]['query'];

/** Imports a third-party price list in steps: choose the list, map the providers, review the changes, import. */
export function ImportPrices({ given, onClose }: { given: PriceFile | null; onClose: () => void }): JSX.Element {
  const [file, setFile] = useState(given);
  const [seen, setSeen] = useState<{ query: Query; report: PriceImportDto }>();
  return (
    <Dialog title={t('import_prices')} onClose={onClose}>
      {!file ? (
        <FileForm onChoose={setFile} />
      ) : !seen ? (
        <MappingForm file={file} onSee={setSeen} />
      ) : (
        <Apply file={file} {...seen} onBack={() => setSeen(undefined)} onClose={onClose} />
      )}
    </Dialog>
  );
}

const SOURCES = ['bundled', 'models.dev', 'litellm'] as const;
type Source = (typeof SOURCES)[number];

const SOURCE_TEXTS = { bundled: 'bundled', 'models.dev': 'models_dev', litellm: 'litellm' } as const;

function FileForm({ onChoose }: { onChoose: (file: PriceFile) => void }): JSX.Element {
  const [source, setSource] = useState<Source>('bundled');
  const read = async (entries: FormData): Promise<void> => {
    const file = source === 'bundled' ? await readBundled() : await readChosen(entries.get('file') as File, source);
    if (!file) throw new EntryError('file', manage('no_json'));
    onChoose(file);
  };
  return (
    <Form action={t('next')} onSubmit={read}>
      <Select
        name="source"
        label={t('list')}
        hint={t(`list_${SOURCE_TEXTS[source]}_hint`)}
        choices={SOURCES.map((value) => ({ value, label: t(`list_${SOURCE_TEXTS[value]}`) }))}
        value={source}
        onChange={(value) => setSource(value as Source)}
      />
      {source !== 'bundled' && (
        <Field name="file" label={manage('file')}>
          {(wiring) => <input {...wiring} type="file" accept=".json,application/json" required />}
        </Field>
      )}
    </Form>
  );
}

interface MappingProps {
  file: PriceFile;
  onSee: (seen: { query: Query; report: PriceImportDto }) => void;
}

/** Maps the service's providers to the provider names in the list. */
function MappingForm({ file, onSee }: MappingProps): JSX.Element {
  const listed = providersOf(file);
  const loaded = useLoad(
    async () => (await api.admin.providers.list({ query: { size: 100 } })).data.items.filter(isPaid),
    [],
  );
  return (
    <>
      <p class="address">
        {file.asOf ? t('list_as_of', { source: file.source, day: formatDay(file.asOf) }) : file.source}
      </p>
      <Show loaded={loaded}>
        {(providers) => {
          const see = async (entries: FormData): Promise<void> => {
            const chosen = Object.fromEntries(
              providers.map(({ name }, index) => [name, textOf(entries, `provider_${index}`)]),
            );
            const rate = textOf(entries, 'rate').trim();
            const query: Query = {
              format: file.format,
              map: mapOf(chosen, entries.has('others')),
              ...(rate && { rate }),
            };
            const { data } = await api.admin.prices.import({ query: { ...query, dry_run: true }, body: file.content });
            onSee({ query, report: data });
          };
          return (
            <Form action={t('see_differences')} onSubmit={see}>
              <p class="soft">{t('mapping_hint')}</p>
              <div class="fields">
                {providers.map((provider, index) => (
                  <Select
                    key={provider.name}
                    name={`provider_${index}`}
                    label={t('provider_in_list', { name: provider.name })}
                    choices={[
                      { value: '', label: t('not_in_list') },
                      ...listed.map((name) => ({ value: name, label: name })),
                    ]}
                    value={guess(provider, listed)}
                  />
                ))}
              </div>
              <Checkbox name="others" label={t('take_others')} />
              <TextField name="rate" label={t('rate')} hint={t('rate_hint')} inputMode="decimal" autoComplete="off" />
            </Form>
          );
        }}
      </Show>
    </>
  );
}

/** The built-in demo provider is free. */
function isPaid({ kind }: { kind: string }): boolean {
  return kind !== 'demo';
}

interface ApplyProps {
  file: PriceFile;
  query: Query;
  report: PriceImportDto;
  onBack: () => void;
  onClose: () => void;
}

/** A preview of the import. */
function Apply({ file, query, report, onBack, onClose }: ApplyProps): JSX.Element {
  const { added, changed } = report;
  const apply = async (): Promise<void> => {
    const { data } = await api.admin.prices.import({ query, body: file.content });
    toast(t('imported', { added: data.added, changed: data.changed }));
    onClose();
  };
  const back = <Button onClick={onBack}>{t('back')}</Button>;
  return (
    <>
      <Differences report={report} />
      {added + changed > 0 ? (
        <Form action={t('take_prices', { count: added + changed })} onSubmit={apply} beside={back}>
          <p class="soft">{t('apply_hint')}</p>
        </Form>
      ) : (
        <div class="row">{back}</div>
      )}
    </>
  );
}
