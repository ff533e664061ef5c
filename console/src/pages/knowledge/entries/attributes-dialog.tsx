import type { EntryDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { Dialog } from '../../../components/dialog';
import { linesOf } from '../../../components/form/entries';
import { EntryError } from '../../../components/form/faults';
import { Form, TextArea } from '../../../components/form/form';

const t = texts('knowledge');
const shell = texts('shell');

type Attributes = EntryDto['attributes'];

interface AttributesDialogProps {
  storeId: number;
  entry: EntryDto;
  onSaved: () => void;
  onClose: () => void;
}

/** The values by which searches select a file, one per line. */
export function AttributesDialog({ storeId, entry, onSaved, onClose }: AttributesDialogProps): JSX.Element {
  const { file_id, filename, attributes } = entry;
  const save = async (entries: FormData): Promise<void> => {
    const body = { attributes: attributesOf(linesOf(entries, 'attributes')) };
    await api.knowledge.updateFile({ path: { id: storeId, file_id }, body });
    onClose();
    toast(shell('saved'));
    onSaved();
  };
  return (
    <Dialog title={t('attributes_title', { name: filename })} onClose={onClose}>
      <Form action={shell('save')} onSubmit={save}>
        <TextArea
          name="attributes"
          label={t('attributes')}
          hint={t('attributes_hint')}
          rows={6}
          defaultValue={Object.entries(attributes).map(lineOf).join('\n')}
        />
      </Form>
    </Dialog>
  );
}

/** A text that would be read as a number or a boolean is in quotes. */
function lineOf([name, value]: [string, Attributes[string]]): string {
  const isPlain = typeof value !== 'string' || typeof valueOf(value) === 'string';
  return `${name}: ${isPlain && value !== '' ? value : JSON.stringify(value)}`;
}

function attributesOf(lines: string[]): Attributes {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^:]+):(.*)$/s.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new EntryError('attributes', t('attributes_wrong', { line }));
      return [name.trim(), valueOf(value.trim())];
    }),
  );
}

function valueOf(text: string): Attributes[string] {
  try {
    const value: unknown = JSON.parse(text);
    if (['string', 'number', 'boolean'].includes(typeof value)) return value as Attributes[string];
  } catch {
    // Not JSON: plain text.
  }
  return text;
}
