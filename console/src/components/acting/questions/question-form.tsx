import type { ActionDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Checkbox, CheckboxGroup, Form, Select, TextArea, TextField } from '../../form/form';
import type { Wish } from '../wish';
import { answerOf, entryOf, fieldsOf, type SchemaField } from './schema-fields';

const t = texts('questions');
const shell = texts('shell');

/** Texts that may be longer get a multi-line field. */
const LINE_LENGTH = 200;

interface QuestionFormProps {
  action: ActionDto;
  schema: Record<string, unknown>;
  onDecide: (wish: Wish) => Promise<void>;
  beside: ComponentChildren;
}

/** The form that an MCP server requests. */
export function QuestionForm({ action, schema, onDecide, beside }: QuestionFormProps): JSX.Element {
  const fields = useMemo(() => fieldsOf(schema), [action.id]);
  const submit = (entries: FormData): Promise<void> =>
    onDecide({
      decision: 'approve',
      arguments_hash: action.arguments_hash,
      arguments: answerOf(fields, entries, { tooFew: t('choose_more'), tooMany: shell('fault_too_many_items') }),
    });
  return (
    <Form action={t('send_answer')} onSubmit={submit} beside={beside}>
      {fields.map((field) => (
        <Entry key={field.name} field={field} />
      ))}
    </Form>
  );
}

function Entry({ field }: { field: SchemaField }): JSX.Element {
  const { kind, hint, choices, least, most, initial, initials, isRequired } = field;
  const name = entryOf(field);
  const label = isRequired || kind === 'boolean' ? field.label : t('optional', { label: field.label });
  switch (kind) {
    case 'boolean':
      return (
        <div class="field">
          <Checkbox name={name} label={label} checked={initials.length > 0} />
          {hint && <p class="hint">{hint}</p>}
        </div>
      );
    case 'choices':
      return (
        <CheckboxGroup name={name} label={label} hint={hint}>
          {choices.map((choice) => (
            <Checkbox
              key={choice.value}
              name={name}
              value={choice.value}
              label={choice.label}
              checked={initials.includes(choice.value)}
            />
          ))}
        </CheckboxGroup>
      );
    case 'choice':
      return (
        <Select
          name={name}
          label={label}
          hint={hint}
          required={isRequired}
          choices={[{ value: '', label: '—' }, ...choices]}
          value={initial ?? ''}
        />
      );
    case 'number':
    case 'integer':
      return (
        <TextField
          name={name}
          label={label}
          hint={hint}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          min={least}
          max={most}
          required={isRequired}
          defaultValue={initial}
        />
      );
    default: {
      const shared = { name, label, hint, required: isRequired, defaultValue: initial, dir: 'auto' } as const;
      const length = { minLength: least, maxLength: most };
      return kind === 'text' && (most ?? 0) > LINE_LENGTH ? (
        <TextArea {...shared} {...length} rows={3} />
      ) : (
        // The form comes from a third-party server, so the browser must not fill it in.
        <TextField {...shared} {...length} type={kind} autoComplete="off" />
      );
    }
  }
}
