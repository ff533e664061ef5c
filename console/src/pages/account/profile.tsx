import type { ProfileDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { chooseLanguage, isLanguage, LANGUAGES, texts } from '../../app/i18n/languages';
import { readUser } from '../../app/session';
import { toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Facts } from '../../components/facts';
import { Form, Select, TextArea, TextField, textOf } from '../../components/form/form';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';

const t = texts('account');
const shell = texts('shell');

export function Profile(): JSX.Element {
  const loaded = useLoad(() => api.profile.read(), []);
  return (
    <Page title={t('profile')}>
      <Show loaded={loaded}>{(profile) => <ProfileForm profile={profile} />}</Show>
    </Page>
  );
}

function ProfileForm({ profile }: { profile: ProfileDto }): JSX.Element {
  const [avatar, setAvatar] = useState(profile.avatar ?? '');
  const save = async (entries: FormData): Promise<void> => {
    const language = textOf(entries, 'language') || null;
    await api.profile.update({
      body: {
        username: textOf(entries, 'username'),
        bio: textOf(entries, 'bio') || null,
        avatar: textOf(entries, 'avatar').trim() || null,
        language,
      },
    });
    if (language !== null && isLanguage(language)) await chooseLanguage(language);
    toast(t('profile_saved'));
    await readUser();
  };
  return (
    <div class="card stack account-form">
      <Facts
        facts={[
          [t('email'), profile.email],
          [t('member_since'), formatTime(profile.created_at)],
        ]}
      />
      <Form action={shell('save')} onSubmit={save}>
        <TextField
          label={t('username')}
          name="username"
          hint={t('username_hint')}
          defaultValue={profile.username}
          autocomplete="nickname"
          autocapitalize="none"
          spellcheck={false}
          minLength={2}
          maxLength={32}
          required
        />
        <TextArea label={t('bio')} name="bio" hint={t('bio_hint')} defaultValue={profile.bio ?? ''} maxLength={500} />
        <Select
          label={t('language')}
          name="language"
          hint={t('language_hint')}
          choices={languageChoices(profile.language)}
          value={profile.language ?? ''}
        />
        <div class="avatar-entry">
          {avatar.startsWith('/') && !avatar.startsWith('//') && <img class="avatar" src={avatar} alt="" />}
          <TextField
            label={t('avatar')}
            name="avatar"
            hint={t('avatar_hint')}
            defaultValue={avatar}
            placeholder="/static/agents/default.svg"
            maxLength={255}
            spellcheck={false}
            onChange={(event) => setAvatar(event.currentTarget.value)}
          />
        </div>
      </Form>
    </div>
  );
}

/** The shipped languages, and the current one if another client has set it. */
function languageChoices(present: string | null): { value: string; label: string }[] {
  const other = present !== null && !isLanguage(present) ? [{ value: present, label: present }] : [];
  const shipped = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));
  return [{ value: '', label: t('language_of_browser') }, ...shipped, ...other];
}
