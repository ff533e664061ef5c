import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { texts } from '../../languages';
import { TextField } from '../../parts/form';

const t = texts('entrance');

/** The address as it was typed last: whoever goes on to another page of the entrance need not type it again. */
export const typedEmail = signal('');

export function EmailField(): JSX.Element {
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
      value={typedEmail.value}
      onInput={(event) => (typedEmail.value = event.currentTarget.value)}
    />
  );
}
