import type { SettingsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { choicesOf } from '../../../components/form/choices';
import { linesOf, numberOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextArea, TextField, textOf } from '../../../components/form/form';
import { Page } from '../../../components/page/page';
import { Section } from '../../../components/page/section';
import { Show } from '../../../components/states';
import { Appearance } from './appearance';
import { Mails } from './mails';
import { TestMail } from './test-mail';

type Sharing = SettingsDto['sharing'];

const SHARING: readonly Sharing[] = ['off', 'users', 'everyone'];

const PASSWORD_LOGIN: readonly SettingsDto['password_login'][] = ['everyone', 'admins', 'off'];

const t = texts('manage');
const company = texts('company');
const admin = texts('admin');
const shell = texts('shell');

/** The settings of the installation, one topic below the other. Each has its own button. */
export function Settings(): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.settings.read()).data, []);
  return (
    <Page title={admin('page_settings')}>
      <Show loaded={loaded}>
        {(settings) => (
          <div>
            <Section title={t('registration')}>
              <SettingsForm key={JSON.stringify(settings)} settings={settings} onChange={loaded.reload} />
            </Section>
            <Section title={t('appearance')} hint={t('appearance_hint')}>
              <Appearance key={JSON.stringify(settings)} settings={settings} onChange={loaded.reload} />
            </Section>
            <Section title={t('mails')}>
              <Mails key={settings.mail_from} settings={settings} onChange={loaded.reload} />
              <TestMail />
            </Section>
            <Section title={t('mcp_hosts')}>
              <InternalHosts key={JSON.stringify(settings)} settings={settings} onChange={loaded.reload} />
            </Section>
          </div>
        )}
      </Show>
    </Page>
  );
}

function SettingsForm({ settings, onChange }: { settings: SettingsDto; onChange: () => void }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    const body = {
      registration_enabled: entries.has('registration_enabled'),
      allowed_email_domains: linesOf(entries, 'allowed_email_domains'),
      api_key_max_days: numberOf(entries, 'api_key_max_days'),
      sharing: textOf(entries, 'sharing') as Sharing,
      password_login: textOf(entries, 'password_login') as SettingsDto['password_login'],
      device_login: entries.has('device_login') ? ('on' as const) : ('off' as const),
    };
    await api.admin.settings.update({ body });
    toast(shell('saved'), {
      // Not the hosts, which need a recent sign-in.
      undo: () =>
        void attempt(() => api.admin.settings.update({ body: { ...settings, mcp_allowed_hosts: undefined } })).then(
          onChange,
        ),
    });
    onChange();
  };
  return (
    <Form action={shell('save')} onSubmit={save}>
      <Checkbox name="registration_enabled" label={t('registration_enabled')} checked={settings.registration_enabled} />
      <TextArea
        name="allowed_email_domains"
        label={t('allowed_domains')}
        hint={t('allowed_domains_hint')}
        defaultValue={settings.allowed_email_domains.join('\n')}
      />
      <TextField
        name="api_key_max_days"
        type="number"
        min={1}
        label={t('key_days')}
        hint={t('key_days_hint')}
        defaultValue={settings.api_key_max_days ?? ''}
      />
      <Select
        name="sharing"
        label={t('sharing')}
        choices={choicesOf(SHARING, (value) => t(`sharing_${value}`))}
        value={settings.sharing}
      />
      <Select
        name="password_login"
        label={company('password_login')}
        hint={company('password_login_hint')}
        choices={choicesOf(PASSWORD_LOGIN, (value) => company(`password_login_${value}`))}
        value={settings.password_login}
      />
      <Checkbox name="device_login" label={t('device_login')} checked={settings.device_login === 'on'} />
    </Form>
  );
}

/** Internal hosts that MCP servers may have. They are saved apart, because they need a recent sign-in. */
function InternalHosts({ settings, onChange }: { settings: SettingsDto; onChange: () => void }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    await api.admin.settings.update({ body: { mcp_allowed_hosts: linesOf(entries, 'mcp_allowed_hosts') } });
    toast(shell('saved'));
    onChange();
  };
  return (
    <Form action={shell('save')} onSubmit={save}>
      <TextArea
        name="mcp_allowed_hosts"
        label={t('mcp_allowed_hosts')}
        hint={t('mcp_allowed_hosts_hint')}
        rows={3}
        defaultValue={settings.mcp_allowed_hosts.join('\n')}
        spellcheck={false}
        autocapitalize="none"
      />
    </Form>
  );
}
