import { type AdminUpdateKnowledgeDto, type AdminUserDto, isApiError, type KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { FindUser } from '../../../components/admin/find-user';
import { confirm, Dialog } from '../../../components/dialog';
import { Form, TextField, textOf } from '../../../components/form/form';
import { Menu } from '../../../components/menu';

const t = texts('knowledge');
const admin = texts('admin');
const shell = texts('shell');

interface CollectionActionsProps {
  collection: KnowledgeDto;
  onChange: () => void;
}

/** What administrators may do with a collection of any user. */
export function CollectionActions({ collection, onChange }: CollectionActionsProps): JSX.Element {
  const [isAssigning, setIsAssigning] = useState(false);
  const { id, name, trusted, owner } = collection;
  const path = { id };
  const trust = async (): Promise<void> => {
    if (!trusted) {
      const question = { title: t('trust_title', { name }), text: t('trust_text'), action: t('trust_action') };
      if (!(await confirm(question))) return;
    }
    if (await attempt(() => api.admin.knowledge.update({ path, body: { trusted: !trusted } }))) toast(shell('saved'));
    onChange();
  };
  const remove = async (force: boolean): Promise<void> => {
    const text = t(force ? 'delete_used_text' : 'delete_text');
    const question = { title: t('delete_title', { name }), text, action: t('delete'), isDangerous: true };
    if (!(await confirm(question))) return;
    try {
      await api.admin.knowledge.remove({ path, query: { force } });
      toast(t('deleted', { name }));
    } catch (error) {
      if (!force && isApiError(error, 'KNOWLEDGE_IN_USE')) await remove(true);
      else toast(failureText(error), { isFailure: true });
    }
    onChange();
  };
  return (
    <>
      <Menu
        label={t('actions_for', { name })}
        items={[
          { label: t(trusted ? 'trust_end' : 'trust_action'), icon: 'check', onSelect: () => void trust() },
          { label: t('assign'), icon: 'user', onSelect: () => setIsAssigning(true) },
          { label: t('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove(false) },
        ]}
      />
      {isAssigning && (
        <AssignDialog
          collection={collection}
          hasOwner={owner !== null}
          onSaved={() => {
            setIsAssigning(false);
            toast(shell('saved'));
            onChange();
          }}
          onClose={() => setIsAssigning(false)}
        />
      )}
    </>
  );
}

interface AssignDialogProps {
  collection: KnowledgeDto;
  hasOwner: boolean;
  onSaved: () => void;
  onClose: () => void;
}

/** Chooses another owner. If that lets the administrator read the collection, the service requires a reason. */
function AssignDialog({ collection: { id, name }, hasOwner, onSaved, onClose }: AssignDialogProps): JSX.Element {
  const [unexplained, setUnexplained] = useState<Pick<AdminUpdateKnowledgeDto, 'owner_id'>>();
  const change = async (body: AdminUpdateKnowledgeDto): Promise<void> => {
    await api.admin.knowledge.update({ path: { id }, body });
    onSaved();
  };
  const assign = async ({ id: owner_id }: Pick<AdminUserDto, 'id'>): Promise<void> => {
    try {
      await change({ owner_id });
    } catch (error) {
      if (!needsReason(error)) throw error;
      setUnexplained({ owner_id });
    }
  };
  return (
    <Dialog title={t('assign_title', { name })} onClose={onClose}>
      {unexplained ? (
        <Form
          action={t('assign')}
          onSubmit={(entries) => change({ ...unexplained, reason: textOf(entries, 'reason') })}
        >
          <p>{t('reason_text')}</p>
          <TextField
            name="reason"
            label={admin('reason')}
            hint={admin('reason_hint')}
            required
            minLength={3}
            maxLength={500}
            autoComplete="off"
          />
        </Form>
      ) : (
        <>
          <p class="soft">{t(hasOwner ? 'assign_text' : 'assign_service_text')}</p>
          <FindUser action={t('assign_action')} labelOf={(user) => t('assign_to', { name: user })} onChoose={assign} />
        </>
      )}
    </Dialog>
  );
}

function needsReason(error: unknown): boolean {
  const errors = isApiError(error, 'VALIDATION_ERROR') ? (error.details.errors as { field: string }[]) : [];
  return errors.some(({ field }) => field === 'reason');
}
