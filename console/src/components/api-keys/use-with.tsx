import '../../styles/parts/code-block.css';
import { type ApiKeyWithTextDto, isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { CopyButton } from '../copy-button';
import { choicesOf } from '../form/choices';
import { Select } from '../form/form';
import { PROGRAMS } from './programs';

const t = texts('account');

/** How often the console checks whether the key was used. */
const ASK_MILLISECONDS = 2_000;

/** Ready-made settings for client programs that contain the new key, and whether the first call has arrived. */
export function UseWith({ apiKey }: { apiKey: ApiKeyWithTextDto }): JSX.Element | null {
  const programs = PROGRAMS.filter(({ scope }) => apiKey.scopes.includes(scope));
  const agents = useLoad(() => api.agents.listActive(), []).data ?? [];
  const [name, setName] = useState<string>();
  const [chosen, setAgent] = useState<string>();
  const program = programs.find((one) => one.name === name) ?? programs[0];
  if (!program) return null;
  const agent = chosen ?? (agents.find(({ is_default }) => is_default) ?? agents[0])?.name ?? '';
  const text = program.text({ origin: location.origin, key: apiKey.key, agent });
  return (
    <section class="stack" aria-label={t('use_with')}>
      <h3>{t('use_with')}</h3>
      <div class="row">
        <Select
          name="program"
          label={t('program')}
          choices={choicesOf(
            programs.map((one) => one.name),
            (one) => one,
          )}
          value={program.name}
          onChange={setName}
        />
        <Select
          name="agent"
          label={t('agent')}
          choices={choicesOf(
            agents.map((one) => one.name),
            (one) => one,
          )}
          value={agent}
          onChange={setAgent}
        />
      </div>
      <div class="code-block">
        <div class="code-head">
          <bdi>{program.place}</bdi>
          <CopyButton text={() => text} label={t('copy_settings')} showLabel />
        </div>
        <pre tabIndex={0} dir="ltr" role="group" aria-label={program.place}>
          <code>{text}</code>
        </pre>
      </div>
      <FirstCall id={apiKey.id} />
    </section>
  );
}

function FirstCall({ id }: { id: number }): JSX.Element | null {
  const [state, setState] = useState<'waiting' | 'used' | 'unknown'>('waiting');
  useEffect(() => {
    if (state !== 'waiting') return undefined;
    const ask = async (): Promise<void> => {
      try {
        const days = await api.apiKeys.usage({ path: { id } });
        if (days.some(({ messages, tokens }) => messages > 0 || tokens > 0)) setState('used');
      } catch (error) {
        // Only the owner can read the usage, which excludes keys of service accounts. After a network failure, the next
        // check follows.
        if (isApiError(error)) setState('unknown');
      }
    };
    const timer = setInterval(() => void ask(), ASK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [id, state]);
  if (state === 'unknown') return null;
  return (
    <p role="status" class={state === 'used' ? 'notice success' : 'soft'}>
      {state === 'used' ? t('first_call') : t('waiting_for_call')}
    </p>
  );
}
