import type { EmbeddingCostDto, EmbeddingModelDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { ModelField, useProviders } from '../../../components/admin/model-choice';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { numberOf } from '../../../components/form/entries';
import { Form, Select, TextField, textOf } from '../../../components/form/form';
import { Money } from '../../../components/money/money';

const t = texts('knowledge');
const admin = texts('admin');
const shell = texts('shell');

interface Choice {
  provider: string;
  model: string;
  dimensions: number | null;
}

interface EmbeddingDialogProps {
  current: EmbeddingModelDto;
  onSaved: () => void;
  onClose: () => void;
}

/** Chooses an embedding model. Before anything changes, it shows what the vectors will cost. */
export function EmbeddingDialog({ current, onSaved, onClose }: EmbeddingDialogProps): JSX.Element {
  const [draft, setDraft] = useState<Choice>();
  const [estimate, setEstimate] = useState<{ cost: EmbeddingCostDto; currency: string }>();
  const check = async (entries: FormData): Promise<void> => {
    const wanted = {
      provider: textOf(entries, 'provider'),
      model: textOf(entries, 'model'),
      dimensions: numberOf(entries, 'dimensions'),
    };
    const [{ data }, { currency }] = await Promise.all([
      api.admin.embedding.update({ body: { ...wanted, dry_run: true } }),
      api.usage.totals(),
    ]);
    setDraft(wanted);
    setEstimate({ cost: data as EmbeddingCostDto, currency });
  };
  const save = async (wanted: Choice): Promise<void> => {
    await api.admin.embedding.update({ body: wanted });
    toast(t('embedding_changed'));
    onSaved();
  };
  return (
    <Dialog title={t('embedding')} onClose={onClose}>
      {draft && estimate ? (
        <Form
          action={t('embedding_use')}
          onSubmit={() => save(draft)}
          beside={<Button onClick={() => setEstimate(undefined)}>{shell('cancel')}</Button>}
        >
          <p>{t('embedding_cost_text', { model: draft.model })}</p>
          <Facts
            facts={[
              [t('passages'), formatNumber(estimate.cost.passages)],
              [admin('tokens'), formatNumber(estimate.cost.tokens)],
              [admin('cost'), <Money key="cost" amount={estimate.cost.cost} currency={estimate.currency} />],
            ]}
          />
        </Form>
      ) : (
        <ChoiceForm chosen={draft ?? current} onCheck={check} />
      )}
    </Dialog>
  );
}

interface ChoiceFormProps {
  chosen: Pick<EmbeddingModelDto, 'provider' | 'model' | 'dimensions'>;
  onCheck: (entries: FormData) => Promise<void>;
}

function ChoiceForm({ chosen, onCheck }: ChoiceFormProps): JSX.Element {
  const providers = useProviders().filter(({ kind }) => kind !== 'demo' && kind !== 'anthropic');
  const [name, setName] = useState(chosen.provider ?? '');
  const provider = providers.find((one) => one.name === name) ?? providers[0];
  return (
    <Form action={t('check_cost')} onSubmit={onCheck}>
      <Select
        name="provider"
        label={t('provider')}
        hint={t('provider_hint')}
        required
        choices={providers.map((one) => ({ value: one.name, label: one.name }))}
        value={provider?.name}
        onChange={setName}
      />
      <ModelField provider={provider} value={chosen.model} />
      <TextField
        name="dimensions"
        type="number"
        min={8}
        max={4_096}
        label={t('dimensions')}
        hint={t('dimensions_hint')}
        defaultValue={chosen.dimensions ?? ''}
      />
    </Form>
  );
}
