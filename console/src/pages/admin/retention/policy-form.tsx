import type { CreateRetentionPolicyDto, RetentionPolicyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { instantOf, numberOf, wordsOf } from '../../../components/form/entries';
import { Form, Select, TextField, textOf } from '../../../components/form/form';

const t = texts('retention');
const manage = texts('manage');
const shell = texts('shell');

export const KINDS = ['chats', 'files', 'events', 'failed_replies', 'traces', 'ledger', 'audit'] as const;

/** Kinds for which a group can have a policy. */
const OF_GROUPS: readonly Kind[] = ['chats', 'files', 'failed_replies', 'traces'];

const MOST_GROUPS = 100;

type Kind = RetentionPolicyDto['kind'];

/** Creates a policy, or edits what can change. */
export function PolicyForm({ policy, onClose }: { policy?: RetentionPolicyDto; onClose: () => void }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    const effective = instantOf(entries, 'effective_at');
    const body = {
      days: numberOf(entries, 'days'),
      note: wordsOf(entries, 'note'),
      ...(effective && { effective_at: effective }),
    };
    if (policy) {
      await api.admin.retention.update({ path: { id: policy.id }, body });
    } else {
      const group = textOf(entries, 'scope_id');
      const kind = textOf(entries, 'kind') as CreateRetentionPolicyDto['kind'];
      const scope = group === '' ? { scope: 'service' as const } : { scope: 'group' as const, scope_id: Number(group) };
      await api.admin.retention.create({ body: { ...body, ...scope, kind } });
    }
    toast(policy ? shell('saved') : t('policy_made'));
    onClose();
  };
  return (
    <Dialog title={t(policy ? 'edit_policy' : 'new_policy')} onClose={onClose}>
      <Form action={policy ? shell('save') : manage('create')} onSubmit={save}>
        {!policy && <SubjectFields />}
        <TextField
          name="days"
          type="number"
          min={1}
          max={36_500}
          label={t('days_label')}
          hint={t('days_hint')}
          defaultValue={policy?.days ?? ''}
        />
        <TextField name="effective_at" type="datetime-local" label={t('effective_at')} hint={t('effective_hint')} />
        <TextField name="note" label={t('note')} defaultValue={policy?.note ?? ''} maxLength={500} />
      </Form>
    </Dialog>
  );
}

/** The fields that cannot change later. */
function SubjectFields(): JSX.Element {
  const [kind, setKind] = useState<Kind>('chats');
  const { data = [] } = useLoad(
    async () => (await api.admin.groups.list({ query: { size: MOST_GROUPS } })).data.items,
    [],
  );
  const groups = data.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <>
      <Select
        name="kind"
        label={t('kind')}
        hint={t(`kind_${kind}_hint`)}
        choices={choicesOf(KINDS, (name) => t(`kind_${name}`))}
        value={kind}
        onChange={(value) => setKind(value as Kind)}
      />
      <Select
        name="scope_id"
        label={t('scope')}
        hint={t('scope_hint')}
        choices={[{ value: '', label: t('service') }, ...(OF_GROUPS.includes(kind) ? groups : [])]}
      />
    </>
  );
}
