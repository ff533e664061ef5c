import type { AgentDto, UserSettingsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { chooseTheme, THEMES } from '../../app/theme';
import { toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import type { Choice } from '../../components/form/choices';
import { Checkbox, Form, Select, TextArea, textOf } from '../../components/form/form';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';
import { NotificationChoice } from './notifications/notification-choice';

const t = texts('account');
const shell = texts('shell');

/** The user's preferences. */
export function Settings(): JSX.Element {
  const loaded = useLoad(async () => {
    const [settings, agents] = await Promise.all([api.settings.read(), api.agents.listActive()]);
    return { settings, agents };
  }, []);
  return (
    <Page title={t('settings')}>
      <Show loaded={loaded}>{(both) => <SettingsForm {...both} />}</Show>
      <NotificationChoice />
    </Page>
  );
}

function SettingsForm({ settings, agents }: { settings: UserSettingsDto; agents: AgentDto[] }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    const chosenTheme = THEMES.find((name) => name === textOf(entries, 'theme')) ?? 'system';
    await api.settings.update({
      body: {
        timezone: textOf(entries, 'timezone') || null,
        theme: chosenTheme,
        default_agent_id: Number(textOf(entries, 'default_agent_id')) || null,
        custom_instructions: textOf(entries, 'custom_instructions'),
        email_notifications: entries.has('email_notifications'),
      },
    });
    chooseTheme(chosenTheme);
    toast(t('settings_saved'));
  };
  return (
    <div class="card account-form">
      <Form action={shell('save')} onSubmit={save}>
        <TextArea
          label={t('custom_instructions')}
          name="custom_instructions"
          hint={t('custom_instructions_hint')}
          rows={6}
          maxLength={4000}
          defaultValue={settings.custom_instructions}
        />
        <Select
          label={t('default_agent')}
          name="default_agent_id"
          hint={t('default_agent_hint')}
          choices={agentChoices(agents, settings.default_agent_id)}
          value={String(settings.default_agent_id ?? '')}
        />
        <Select
          label={shell('theme')}
          name="theme"
          choices={THEMES.map((value) => ({ value, label: shell(`theme_${value}`) }))}
          value={settings.theme}
        />
        <Select
          label={t('timezone')}
          name="timezone"
          hint={t('timezone_hint')}
          choices={zoneChoices(settings.timezone)}
          value={settings.timezone ?? ''}
        />
        <Checkbox label={t('email_notifications')} name="email_notifications" checked={settings.email_notifications} />
      </Form>
    </div>
  );
}

function agentChoices(agents: AgentDto[], present: number | null): Choice[] {
  const choices = agents.map(({ id, name }) => ({ value: String(id), label: name }));
  // The chosen agent may be disabled for now. Saving must not drop it.
  const isOffered = present === null || agents.some(({ id }) => id === present);
  return [
    { value: '', label: t('default_agent_none') },
    ...choices,
    ...(isOffered ? [] : [{ value: String(present), label: t('default_agent_missing') }]),
  ];
}

function zoneChoices(present: string | null): Choice[] {
  const zones = Intl.supportedValuesOf('timeZone');
  const all = present === null || zones.includes(present) ? zones : [...zones, present];
  return [
    { value: '', label: t('timezone_of_device') },
    ...all.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
  ];
}
