import type { AgentAdminDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { ModelField, useProviders } from '../../../components/admin/model-choice';
import { Select, TextArea, TextField } from '../../../components/form/form';
import { NUMBERS } from './agent-entries';

const t = texts('manage');

const BOUNDS = ['context_max_messages', 'context_max_tokens', 'timeout_seconds'] as const;

const LIMITS = {
  temperature: { min: 0, max: 2, step: 'any' },
  top_p: { min: 0, max: 1, step: 'any' },
  top_k: { min: 1, max: 1_000 },
  max_tokens: { min: 1 },
  max_completion_tokens: { min: 1 },
  presence_penalty: { min: -2, max: 2, step: 'any' },
  frequency_penalty: { min: -2, max: 2, step: 'any' },
  seed: {},
};

/** The provider and the model. */
export function ModelChoice({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  const providers = useProviders();
  const [chosen, setChosen] = useState(agent?.provider ?? '');
  // The agent may refer to a provider that has been deleted.
  const names = [...new Set([...providers.map(({ name }) => name), ...(agent?.provider ? [agent.provider] : [])])];
  return (
    <div class="fields">
      <Select
        key={names.length}
        name="provider"
        label={t('provider')}
        hint={t('provider_hint')}
        choices={[{ value: '', label: t('default_provider') }, ...names.map((name) => ({ value: name, label: name }))]}
        value={chosen}
        onChange={setChosen}
      />
      <ModelField
        provider={providers.find(({ name, is_default }) => (chosen ? name === chosen : is_default))}
        value={agent?.model}
      />
    </div>
  );
}

/** The fallbacks, the limits of a request, and the parameters of the model. */
export function ModelLimits({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  const parameters = agent?.model_params;
  return (
    <>
      <TextArea
        name="fallback_models"
        label={t('fallback_models')}
        hint={t('fallback_models_hint')}
        rows={2}
        defaultValue={agent?.fallback_models.join('\n')}
      />
      <div class="fields">
        {BOUNDS.map((name) => (
          <TextField
            key={name}
            name={name}
            type="number"
            min={1}
            label={t(name)}
            hint={t(`${name}_hint`)}
            defaultValue={agent?.[name] ?? ''}
          />
        ))}
      </div>
      <h3>{t('parameters')}</h3>
      <div class="stack">
        <p class="soft">{t('parameters_hint')}</p>
        <div class="fields">
          {NUMBERS.map((name) => (
            <TextField
              key={name}
              {...LIMITS[name]}
              name={`model_params.${name}`}
              type="number"
              label={name}
              hint={t(`${name}_hint`)}
              defaultValue={parameters?.[name] ?? ''}
            />
          ))}
          <TextField
            name="model_params.reasoning_effort"
            label="reasoning_effort"
            hint={t('reasoning_effort_hint')}
            defaultValue={parameters?.reasoning_effort ?? ''}
          />
          <TextArea
            name="model_params.stop"
            label="stop"
            hint={t('stop_hint')}
            rows={2}
            defaultValue={[parameters?.stop ?? []].flat().join('\n')}
          />
        </div>
      </div>
    </>
  );
}
