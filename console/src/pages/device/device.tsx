import '../../styles/auth.css';
import '../../styles/parts/centred.css';
import type { DeviceRequestDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { failureText } from '../../app/failure-text';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Form, TextField, textOf } from '../../components/form/form';
import { Layout } from '../../components/page/layout';
import { Page } from '../../components/page/page';
import { UserText } from '../../components/user-text';

const t = texts('device');

interface Found {
  code: string;
  request: DeviceRequestDto;
}

/**
 * Approves the sign-in of a command-line program. A code in the address only fills the field, so that a link of another
 * person approves nothing.
 */
export function Device(): JSX.Element {
  const [found, setFound] = useState<Found>();
  const [done, setDone] = useState<string>();
  const lookUp = async (entries: FormData): Promise<void> => {
    const code = textOf(entries, 'user_code');
    setFound({ code, request: await api.auth.lookUpDevice({ body: { user_code: code } }) });
  };
  const title = done !== undefined ? t('done') : found ? t('check') : t('title');
  return (
    <Layout isCentred>
      {/* A new key moves the focus to the heading again. */}
      <Page key={title} title={title} narrow>
        {done !== undefined ? (
          <p class="notice success">{done}</p>
        ) : found ? (
          <Decision found={found} onDone={setDone} />
        ) : (
          <>
            <p class="soft">{t('text')}</p>
            <Form action={t('continue')} onSubmit={lookUp}>
              <TextField
                label={t('code')}
                name="user_code"
                hint={t('code_hint')}
                defaultValue={new URLSearchParams(location.search).get('user_code') ?? ''}
                autocomplete="off"
                autocapitalize="characters"
                spellcheck={false}
                maxLength={64}
                required
              />
            </Form>
          </>
        )}
      </Page>
    </Layout>
  );
}

function Decision({ found, onDone }: { found: Found; onDone: (message: string) => void }): JSX.Element {
  const [busy, setBusy] = useState<'approve' | 'deny'>();
  const [failure, setFailure] = useState<unknown>();
  const { client_id, surface, user_agent, device_name, address, created_at, scopes } = found.request;
  const decide = async (decision: 'approve' | 'deny'): Promise<void> => {
    if (busy) return;
    setBusy(decision);
    try {
      onDone((await api.auth.decideDevice({ body: { user_code: found.code, decision } })).message);
    } catch (error) {
      setFailure(error);
      setBusy(undefined);
    }
  };
  return (
    <div class="stack">
      <p class="notice warning">{t('warning')}</p>
      <Facts
        facts={[
          [t('program'), <UserText key="program">{client_id ?? surface ?? user_agent ?? t('unknown')}</UserText>],
          device_name && [t('computer'), <UserText key="computer">{device_name}</UserText>],
          [t('address'), address],
          [t('requested'), formatTime(created_at)],
        ]}
      />
      <div>
        <p>{t('may')}</p>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>{scopeText(scope)}</li>
          ))}
        </ul>
      </div>
      {failure !== undefined && (
        <p class="notice danger" role="alert">
          {failureText(failure)}
        </p>
      )}
      <div class="row form-end">
        <Button kind="primary" busy={busy === 'approve'} onClick={() => void decide('approve')}>
          {t('approve')}
        </Button>
        <Button busy={busy === 'deny'} onClick={() => void decide('deny')}>
          {t('deny')}
        </Button>
      </div>
    </div>
  );
}

const SCOPES = {
  anthropic: 'scope_anthropic',
  openai: 'scope_openai',
  'chat:read': 'scope_chat_read',
  'chat:write': 'scope_chat_write',
  'agents:read': 'scope_agents_read',
  'usage:read': 'scope_usage_read',
  'actions:decide': 'scope_actions_decide',
} as const;

/** A scope in words; the scope itself if this version does not know it. */
function scopeText(scope: string): string {
  return scope in SCOPES ? t(SCOPES[scope as keyof typeof SCOPES]) : scope;
}
