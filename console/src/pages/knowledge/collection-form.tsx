import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { Dialog } from '../../components/dialog';
import { wordsOf } from '../../components/form/entries';
import { Form, Select, TextArea, TextField, textOf } from '../../components/form/form';

const t = texts('knowledge');
const shell = texts('shell');

/** Offered numbers of days without use. */
const DAYS = [7, 30, 90, 180, 365];

const NEVER = 'never';
/** The service does not return the number of days, so an existing expiry can only be kept or replaced. */
const UNCHANGED = 'unchanged';

interface CollectionFormProps {
  /** Absent for a new collection. */
  collection?: KnowledgeDto;
  onSaved: (collection: KnowledgeDto) => void;
  onClose: () => void;
}

/** A form for name, description and expiry of a collection. */
export function CollectionForm({ collection, onSaved, onClose }: CollectionFormProps): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    const days = textOf(entries, 'expires_after_days');
    const body = {
      name: textOf(entries, 'name'),
      description: wordsOf(entries, 'description'),
      ...(days !== UNCHANGED && { expires_after_days: days === NEVER ? null : Number(days) }),
    };
    const { data } = collection
      ? await api.knowledge.update({ path: { id: collection.id }, body })
      : await api.knowledge.create({ body });
    onSaved(data);
    toast(collection ? shell('saved') : t('created', { name: data.name }));
  };
  const expiry = collection?.expires_at;
  return (
    <Dialog title={collection ? t('edit_collection') : t('new_collection')} onClose={onClose}>
      <Form action={collection ? shell('save') : t('create')} onSubmit={save}>
        <TextField
          name="name"
          label={t('name')}
          defaultValue={collection?.name}
          required
          maxLength={256}
          autoComplete="off"
        />
        <TextArea
          name="description"
          label={t('description')}
          rows={2}
          maxLength={1_000}
          defaultValue={collection?.description ?? ''}
        />
        <Select
          name="expires_after_days"
          label={t('expiry')}
          hint={t('expiry_hint')}
          choices={[
            ...(expiry ? [{ value: UNCHANGED, label: t('expiry_unchanged', { time: formatTime(expiry) }) }] : []),
            { value: NEVER, label: t('expiry_never') },
            ...DAYS.map((count) => ({ value: String(count), label: t('expiry_days', { count }) })),
          ]}
        />
      </Form>
    </Dialog>
  );
}
