import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, CheckboxGroup, Select, TextArea, TextField } from '../../../components/form/form';
import { PairRows } from './pair-rows';
import { ServerGroups } from './server-groups';
import { ServerPlace } from './server-place';

const t = texts('servers');
const manage = texts('manage');

const ELICITATIONS = ['off', 'form', 'form_and_url'] as const;
const PROTOCOLS = ['auto', '2026-07-28', '2025-11-25'] as const;
const POLICIES = ['auto', 'ask', 'deny'] as const;

/** Absent for a new server. */
interface Props {
  server?: McpServerDto;
}

/** All settings of an MCP server, by topic. */
export function ServerFields({ server }: Props): JSX.Element {
  return (
    <>
      <ServerPlace server={server} />
      <Admission server={server} />
      <Limits server={server} />
    </>
  );
}

/** The groups that may use the tools, the tool list and the policies. */
function Admission({ server }: Props): JSX.Element {
  const [offers, setOffers] = useState(server?.allowed_tools ? 'some' : '');
  return (
    <section class="card stack">
      <h2>{t('admission')}</h2>
      <ServerGroups groups={server?.groups ?? null}>
        <Select
          name="offers"
          label={t('offers')}
          choices={[
            { value: '', label: t('offers_all') },
            { value: 'some', label: t('offers_some') },
          ]}
          value={offers}
          onChange={setOffers}
        />
        {offers === 'some' && (
          <TextArea
            name="allowed_tools"
            label={t('allowed_tools')}
            hint={t('allowed_tools_hint')}
            rows={3}
            spellcheck={false}
            defaultValue={server?.allowed_tools?.join('\n')}
          />
        )}
      </ServerGroups>
      <CheckboxGroup name="policies" label={t('policies')} hint={t('policies_hint')}>
        <PairRows
          prefix="policy"
          names={Object.keys(server?.policies ?? {})}
          nameLabel={t('tool')}
          addLabel={t('add_policy')}
          value={(name) => (
            <Select
              name="policy.value"
              label={manage('tool_policy')}
              choices={choicesOf(POLICIES, (policy) => manage(`tool_policy_${policy}`))}
              value={server?.policies[name] ?? 'ask'}
            />
          )}
        />
      </CheckboxGroup>
      <Checkbox name="trust_annotations" label={t('trust_annotations')} checked={server?.trust_annotations} />
      <p class="soft">{t('trust_annotations_hint')}</p>
    </section>
  );
}

/** Protocol settings and limits. */
function Limits({ server }: Props): JSX.Element {
  return (
    <section class="card stack">
      <h2>{t('limits')}</h2>
      <div class="fields">
        <Select
          name="elicitation"
          label={t('elicitation')}
          hint={t('elicitation_hint')}
          choices={choicesOf(ELICITATIONS, (name) => t(`elicitation_${name}`))}
          value={server?.elicitation ?? 'off'}
        />
        <TextField
          name="timeout"
          type="number"
          label={t('timeout')}
          hint={t('timeout_hint')}
          required
          min={1}
          max={600}
          defaultValue={server?.timeout ?? 60}
        />
        <Select
          name="protocol"
          label={t('protocol')}
          choices={choicesOf(PROTOCOLS, (name) => (name === 'auto' ? t('protocol_auto') : name))}
          value={server?.protocol ?? 'auto'}
        />
      </div>
    </section>
  );
}
