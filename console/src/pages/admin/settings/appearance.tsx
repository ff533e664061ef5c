import type { SettingsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { loadBranding } from '../../../app/branding';
import { isLanguage, LANGUAGES, texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { choicesOf } from '../../../components/form/choices';
import { wordsOf } from '../../../components/form/entries';
import {
  Checkbox,
  CheckboxGroup,
  Field,
  Form,
  Select,
  TextArea,
  TextField,
  textOf,
} from '../../../components/form/form';

const t = texts('manage');
const shell = texts('shell');

const LOGO_BYTES = 49_152;

/** The accent colour in the style sheet. The field shows it if the installation sets none. */
const USUAL_COLOUR = '#4146d6';

/** The name, logo, colours and languages of the installation. */
export function Appearance({ settings, onChange }: { settings: SettingsDto; onChange: () => void }): JSX.Element {
  const [logo, setLogo] = useState(settings.logo);
  const [hasColour, setHasColour] = useState(settings.colour !== null);

  const save = async (entries: FormData): Promise<void> => {
    const body = {
      name: wordsOf(entries, 'name'),
      logo,
      colour: hasColour ? textOf(entries, 'colour') : null,
      welcome: wordsOf(entries, 'welcome'),
      terms_url: wordsOf(entries, 'terms_url'),
      languages: defaultFirst(entries),
    };
    await api.admin.settings.update({ body });
    await loadBranding();
    toast(shell('saved'), {
      undo: () =>
        void attempt(() => api.admin.settings.update({ body: settings }))
          .then(loadBranding)
          .then(onChange),
    });
    onChange();
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > LOGO_BYTES) toast(t('logo_too_large'), { isFailure: true });
    else setLogo(await dataUrlOf(file));
  };

  return (
    <Form action={shell('save')} onSubmit={save}>
      <TextField
        name="name"
        label={t('brand_name')}
        hint={t('brand_name_hint')}
        maxLength={60}
        defaultValue={settings.name ?? ''}
        dir="auto"
      />
      <Field name="logo" label={t('logo')} hint={t('logo_hint')}>
        {({ name: _, ...wiring }) => (
          <input
            {...wiring}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {logo && (
        <div class="row">
          <img class="logo" src={logo} alt={t('logo')} />
          <Button onClick={() => setLogo(null)}>{t('logo_remove')}</Button>
        </div>
      )}
      <Checkbox name="has_colour" label={t('colour_own')} checked={hasColour} onChange={setHasColour} />
      {hasColour && (
        <TextField
          name="colour"
          type="color"
          label={t('colour')}
          hint={t('colour_hint')}
          defaultValue={settings.colour ?? USUAL_COLOUR}
        />
      )}
      <TextArea
        name="welcome"
        label={t('welcome')}
        maxLength={1_000}
        defaultValue={settings.welcome ?? ''}
        dir="auto"
      />
      <TextField name="terms_url" type="url" label={t('terms_url')} defaultValue={settings.terms_url ?? ''} />
      <Select
        name="default_language"
        label={t('default_language')}
        hint={t('default_language_hint')}
        choices={choicesOf(inOrder(settings.languages), (tag) => LANGUAGES[tag])}
        value={settings.languages[0]}
      />
      <CheckboxGroup name="languages" label={t('languages')} hint={t('languages_hint')}>
        {inOrder(settings.languages).map((tag) => (
          <Checkbox
            key={tag}
            name="languages"
            value={tag}
            label={LANGUAGES[tag]}
            checked={settings.languages.includes(tag)}
          />
        ))}
      </CheckboxGroup>
    </Form>
  );
}

/** The selected languages. The default language is first, and is offered even if its checkbox is not set. */
function defaultFirst(entries: FormData): (keyof typeof LANGUAGES)[] {
  const chosen = [textOf(entries, 'default_language'), ...entries.getAll('languages').map(String)];
  return [...new Set(chosen)].filter(isLanguage);
}

/** The offered languages in their order, followed by the others. */
function inOrder(offered: readonly (keyof typeof LANGUAGES)[]): (keyof typeof LANGUAGES)[] {
  return [
    ...offered,
    ...Object.keys(LANGUAGES)
      .filter(isLanguage)
      .filter((tag) => !offered.includes(tag)),
  ];
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });
}
