import type { CreatePriceDto, PriceDto, PriceTierDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useProviders } from '../../../components/admin/model-choice';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { instantOf, numberOf, wordsOf } from '../../../components/form/entries';
import { CheckboxGroup, Form, TextField, textOf } from '../../../components/form/form';
import { type RateName, RATES } from './price-rates';

const t = texts('money');
const admin = texts('admin');
const manage = texts('manage');

const NEEDED: readonly RateName[] = ['input', 'output'];

/** The rate that applies if a field is empty. */
const IF_ABSENT = {
  input: 'as_without',
  output: 'as_without',
  cached_input: 'as_input',
  cache_write: 'as_input',
  cache_write_1h: 'as_cache_write',
  reasoning: 'as_output',
  per_request: 'nothing',
  per_image: 'nothing',
  per_web_search: 'nothing',
} as const satisfies Record<RateName, string>;

interface PriceFormProps {
  /** Initial values: those of an earlier price, or only the model. */
  former: (Partial<PriceDto> & Pick<PriceDto, 'model'>) | undefined;
  onClose: () => void;
}

/** Adds a price. Prices are immutable; a new price applies from its start date. */
export function PriceForm({ former, onClose }: PriceFormProps): JSX.Element {
  const providers = useProviders();
  const list = useId();
  const [tiers, setTiers] = useState<Partial<PriceTierDto>[]>(former?.tiers ?? []);
  const save = async (entries: FormData): Promise<void> => {
    const model = textOf(entries, 'model').trim();
    const validFrom = instantOf(entries, 'valid_from');
    const body = {
      model,
      provider: wordsOf(entries, 'provider'),
      ...(validFrom && { valid_from: validFrom }),
      ...Object.fromEntries(RATES.map((name) => [name, wordsOf(entries, name)])),
      tiers: tiers.map((_tier, index) => ({
        min_context: numberOf(entries, `tier_${index}_min_context`),
        ...Object.fromEntries(RATES.map((name) => [name, wordsOf(entries, `tier_${index}_${name}`)])),
      })),
    };
    await api.admin.prices.create({ body: body as CreatePriceDto });
    toast(t('price_added', { model }));
    onClose();
  };
  return (
    <Dialog title={t('new_price')} onClose={onClose}>
      <Form action={manage('create')} onSubmit={save}>
        <div class="fields">
          <TextField
            name="model"
            label={admin('model')}
            hint={t('model_hint')}
            defaultValue={former?.model}
            required
            autoComplete="off"
          />
          <TextField
            name="provider"
            label={t('provider')}
            hint={t('provider_hint')}
            defaultValue={former?.provider ?? ''}
            list={list}
            autoComplete="off"
          />
          <TextField name="valid_from" type="datetime-local" label={t('valid_from')} hint={t('valid_from_hint')} />
        </div>
        <datalist id={list}>
          {providers.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p class="soft">{t('rates_hint')}</p>
        <RateFields prefix="" values={former} needed={NEEDED} />
        <CheckboxGroup name="tiers" label={t('tiers')} hint={t('tiers_hint')}>
          {tiers.map((tier, index) => (
            <div key={index} class="tier stack">
              <div class="fields">
                <TextField
                  name={`tier_${index}_min_context`}
                  type="number"
                  min={1}
                  required
                  label={t('min_context')}
                  defaultValue={tier.min_context}
                />
              </div>
              <RateFields prefix={`tier_${index}_`} values={tier} needed={[]} />
            </div>
          ))}
        </CheckboxGroup>
        <div class="row">
          <Button icon="plus" onClick={() => setTiers([...tiers, {}])}>
            {t('add_tier')}
          </Button>
          {tiers.length > 0 && (
            <Button icon="trash" onClick={() => setTiers(tiers.slice(0, -1))}>
              {t('remove_tier')}
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

interface RateFieldsProps {
  prefix: string;
  values: Partial<Record<RateName, string | null>> | undefined;
  needed: readonly RateName[];
}

function RateFields({ prefix, values, needed }: RateFieldsProps): JSX.Element {
  return (
    <div class="fields rates">
      {RATES.map((name) => (
        <TextField
          key={name}
          name={`${prefix}${name}`}
          label={t(name)}
          inputMode="decimal"
          placeholder={needed.includes(name) ? undefined : prefix ? t('as_without') : t(IF_ABSENT[name])}
          defaultValue={values?.[name] ?? ''}
          required={needed.includes(name)}
          autoComplete="off"
        />
      ))}
    </div>
  );
}
