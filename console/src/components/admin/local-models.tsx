import { isApiError, type LocalModelsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { Button } from '../button';
import { Form, Select, textOf } from '../form/form';
import { UserText } from '../user-text';

const t = texts('admin');

const PROGRAMS: Record<LocalModelsDto['program'], string> = { ollama: 'Ollama', lm_studio: 'LM Studio', vllm: 'vLLM' };

/** How many names to try. Another provider may already have the name, with a different address. */
const MOST_NAMES = 9;

/** Embedding and reranking models cannot chat, so others are suggested first. */
const isForWords = (model: string): boolean => !/embed|bge-|rerank/i.test(model);

/** Finds local model servers on the service's machine, and adds a provider and an agent for a model. */
export function LocalModels({ onAdded }: { onAdded: () => void }): JSX.Element {
  const [found, setFound] = useState<LocalModelsDto[]>();
  const [isBusy, setIsBusy] = useState(false);
  const look = async (): Promise<void> => {
    setIsBusy(true);
    await attempt(async () => setFound((await api.admin.providers.discover()).data.items));
    setIsBusy(false);
  };
  const add = async (place: LocalModelsDto, model: string): Promise<void> => {
    const agent = await addModel(place, model);
    toast(t('local_added', { agent, program: PROGRAMS[place.program] }));
    await look();
    onAdded();
  };
  return (
    <div class="stack tight">
      <div>
        <Button icon="search" busy={isBusy} onClick={() => void look()}>
          {t('local_find')}
        </Button>
      </div>
      <div role="status" class="stack tight">
        {found?.map((place) => (
          <Place key={place.program} place={place} onAdd={(model) => add(place, model)} />
        ))}
      </div>
    </div>
  );
}

function Place({ place, onAdd }: { place: LocalModelsDto; onAdd: (model: string) => Promise<void> }): JSX.Element {
  const { program, base_url, models, provider, state } = place;
  const about = { program: PROGRAMS[program], place: new URL(base_url).host };
  if (state !== 'found') return <p class="soft">{t(`local_${state}`, about)}</p>;
  if (provider !== null)
    return (
      <p>
        {t('local_known', about)} <UserText>{provider}</UserText>
      </p>
    );
  if (models.length === 0) return <p>{t('local_empty', about)}</p>;
  return (
    <section class="card stack tight">
      <h3>{t('local_found', { ...about, count: models.length })}</h3>
      <Form action={t('local_use')} onSubmit={(entries) => onAdd(textOf(entries, 'model'))}>
        <Select
          name="model"
          label={t('model')}
          choices={models.map((value) => ({ value, label: value }))}
          value={models.find(isForWords)}
        />
      </Form>
    </section>
  );
}

/** Creates the provider, and an agent with the model. Returns the agent's name. */
async function addModel({ program, base_url }: LocalModelsDto, model: string): Promise<string> {
  const { data } = await api.admin.providers.list({ query: { size: 100 } });
  // An existing default provider stays the default, unless it is the demo.
  const is_default = data.items.every(({ is_default, kind }) => !is_default || kind === 'demo');
  const provider = await addProvider(program.replace('_', '-'), {
    kind: 'openai-compatible',
    base_url,
    model,
    is_default,
  });
  const body = { name: model.slice(0, 100), system_prompt: t('local_prompt'), provider, model };
  return (await api.agents.create({ body })).data.name;
}

type ProviderFields = Omit<Parameters<typeof api.admin.providers.create>[0]['body'], 'name'>;

async function addProvider(wanted: string, fields: ProviderFields): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      await api.admin.providers.create({ body: { ...fields, name } });
      return name;
    } catch (error) {
      if (!isApiError(error, 'PROVIDER_NAME_TAKEN') || number === MOST_NAMES) throw error;
    }
  }
}
