import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import { Field } from './form';

const t = texts('shell');

interface PasswordFieldProps {
  label: string;
  name: string;
  hint?: string;
  /** Whether the password is new, for password managers. */
  isNew?: boolean;
}

/** A password field with a button that shows the text. */
export function PasswordField({ label, name, hint, isNew = false }: PasswordFieldProps): JSX.Element {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field label={label} name={name} hint={hint}>
      {(wiring) => (
        <div class="password">
          <input
            {...wiring}
            type={isShown ? 'text' : 'password'}
            autocomplete={isNew ? 'new-password' : 'current-password'}
            autocapitalize="none"
            spellcheck={false}
            required
            minLength={isNew ? 8 : undefined}
            maxLength={isNew ? 128 : undefined}
          />
          <button
            type="button"
            class="button quiet"
            aria-pressed={isShown}
            aria-label={t('show_password')}
            onClick={() => setIsShown(!isShown)}
          >
            {isShown ? t('hide') : t('show')}
          </button>
        </div>
      )}
    </Field>
  );
}
