import { type Signal, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { visit } from '../../app/visit';
import { TextField } from '../../components/form/form';

const t = texts('auth');

/** The last typed email address, which the other sign-in pages reuse. */
class TypedEmail {
  readonly text = signal('');
}

export const typedEmail = (): Signal<string> => visit().part(TypedEmail).text;

export function EmailField(): JSX.Element {
  const typed = typedEmail();
  return (
    <TextField
      label={t('email')}
      name="email"
      type="email"
      autocomplete="username"
      autocapitalize="none"
      spellcheck={false}
      maxLength={254}
      required
      value={typed.value}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  );
}
