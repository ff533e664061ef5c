import {
  type ComponentChildren,
  createContext,
  type InputHTMLAttributes,
  type JSX,
  type RefObject,
  type TextareaHTMLAttributes,
} from 'preact';
import { useContext, useId, useRef, useState } from 'preact/hooks';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { Button } from '../button';
import type { Choice } from './choices';
import { type Faults, faultsOf } from './faults';

export { textOf } from './text-entry';

const t = texts('shell');

const FaultsContext = createContext<Faults>({});

interface FormProps {
  /** Label of the button. */
  action: string;
  /** Receives the field values. A failure is shown at its field if the service names one. */
  onSubmit: (entries: FormData) => Promise<unknown>;
  children: ComponentChildren;
  isDangerous?: boolean;
  /** Content next to the button. */
  beside?: ComponentChildren;
  /** Whether the button of a long form stays in view. In a dialog, it always does. */
  stays?: boolean;
  /** Receives the form, for code that reads it before it is submitted. */
  element?: RefObject<HTMLFormElement>;
}

interface Failure {
  error: unknown;
  /** Whether every error belongs to a field of this form. */
  isAtFields: boolean;
}

/** A form with the browser's validation. The response of the service decides. */
export function Form({
  action,
  onSubmit,
  children,
  isDangerous = false,
  beside,
  stays,
  element,
}: FormProps): JSX.Element {
  const [state, setState] = useState<{ isBusy: boolean; failure?: Failure }>({ isBusy: false });
  const own = useRef<HTMLFormElement>(null);
  const form = element ?? own;
  const { failure } = state;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (state.isBusy || !form.current) return;
    setState({ isBusy: true });
    try {
      await onSubmit(new FormData(form.current));
      setState({ isBusy: false });
    } catch (error) {
      const named = Object.keys(faultsOf(error));
      const entries = [...form.current.elements].filter((entry) => named.includes(entry.getAttribute('name') ?? ''));
      const isAtFields =
        named.length > 0 && named.every((name) => entries.some((entry) => entry.getAttribute('name') === name));
      setState({ isBusy: false, failure: { error, isAtFields } });
      if (entries[0] instanceof HTMLElement) reveal(entries[0]);
    }
  };

  return (
    <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
      <FaultsContext.Provider value={failure ? faultsOf(failure.error) : {}}>{children}</FaultsContext.Provider>
      {failure && (
        <p class="notice danger" role="alert">
          {failure.isAtFields ? t('check_marked') : failureText(failure.error)}
        </p>
      )}
      <div class={`row form-end ${stays ? 'stays' : ''}`}>
        <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} busy={state.isBusy}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  );
}

/** Opens the folded parts that contain the field, and focuses it. */
function reveal(field: HTMLElement): void {
  for (let part = field.closest('details'); part; part = part.parentElement?.closest('details') ?? null) {
    part.open = true;
  }
  field.focus();
}

interface FieldProps {
  label: string;
  /** Name in the form and in the service's errors. */
  name: string;
  hint?: string;
}

interface Wiring {
  id: string;
  name: string;
  class: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** A label with its input, a hint, and the service's error message. */
export function Field({
  label,
  name,
  hint,
  children,
}: FieldProps & { children: (wiring: Wiring) => JSX.Element }): JSX.Element {
  const id = useId();
  const fault = useContext(FaultsContext)[name];
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        class: 'input',
        'aria-describedby': described || undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  name,
  hint,
  ...rest
}: FieldProps & Omit<InputHTMLAttributes, 'name' | 'label'>): JSX.Element {
  return (
    <Field label={label} name={name} hint={hint}>
      {(wiring) => <input {...rest} {...wiring} />}
    </Field>
  );
}

export function TextArea({
  label,
  name,
  hint,
  ...rest
}: FieldProps & Omit<TextareaHTMLAttributes, 'name' | 'label'>): JSX.Element {
  return (
    <Field label={label} name={name} hint={hint}>
      {(wiring) => <textarea rows={4} {...rest} {...wiring} />}
    </Field>
  );
}

interface SelectProps extends FieldProps {
  choices: Choice[];
  value?: string;
  required?: boolean;
  onChange?: (value: string) => void;
}

export function Select({ label, name, hint, choices, value, required, onChange }: SelectProps): JSX.Element {
  return (
    <Field label={label} name={name} hint={hint}>
      {(wiring) => (
        <select {...wiring} required={required} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxProps {
  label: string;
  name: string;
  checked?: boolean;
  value?: string;
  onChange?: (isChecked: boolean) => void;
}

export function Checkbox({ label, name, checked = false, value, onChange }: CheckboxProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={checked}
        onChange={(event) => onChange?.(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Several checkboxes with one name. `children` are `Checkbox`es with this name. */
export function CheckboxGroup({
  label,
  name,
  hint,
  children,
}: FieldProps & { children: ComponentChildren }): JSX.Element {
  const id = useId();
  const fault = useContext(FaultsContext)[name];
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <fieldset class="field" aria-describedby={described || undefined}>
      <legend class="label">{label}</legend>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {children}
      {fault && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
