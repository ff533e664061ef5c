import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { isAdministrator } from '../../app/visit';
import { Dialog } from '../../components/dialog';
import { choicesOf } from '../../components/form/choices';
import { Checkbox, Form, Select, textOf } from '../../components/form/form';
import { Show } from '../../components/states';

const t = texts('knowledge');
const shell = texts('shell');

const ROLES = ['none', 'reader', 'editor'] as const;

interface Group {
  id: number;
  name: string;
}

interface AccessDialogProps {
  collection: KnowledgeDto;
  onSaved: () => void;
  onClose: () => void;
}

/** Who may read a collection, besides its owner. */
export function AccessDialog({ collection, onSaved, onClose }: AccessDialogProps): JSX.Element {
  const access = collection.access ?? {};
  const shared = access.groups ?? [];
  const loaded = useLoad(() => readGroups(shared.map(({ group_id: id }) => id)), []);
  const save = async (groups: Group[], entries: FormData): Promise<void> => {
    const sharedWith = groups.flatMap(({ id: group_id }) => {
      const role = textOf(entries, `group.${group_id}`);
      return role === 'reader' || role === 'editor' ? [{ group_id, role } as const] : [];
    });
    const everyone = entries.has('everyone') ? ('reader' as const) : null;
    const body = { access: { everyone, groups: sharedWith } };
    await api.knowledge.update({ path: { id: collection.id }, body });
    onClose();
    toast(shell('saved'));
    onSaved();
  };
  return (
    <Dialog title={t('share_title', { name: collection.name })} onClose={onClose}>
      <p class="soft">{t('share_text')}</p>
      <Show loaded={loaded}>
        {(groups) => (
          <Form action={shell('save')} onSubmit={(entries) => save(groups, entries)}>
            {(isAdministrator() || access.everyone) && (
              <Checkbox name="everyone" label={t('everyone_reads')} checked={Boolean(access.everyone)} />
            )}
            {groups.map(({ id, name }) => (
              <Select
                key={id}
                name={`group.${id}`}
                label={name}
                choices={choicesOf(ROLES, (role) => t(`group_${role}`))}
                value={shared.find(({ group_id: sharedId }) => sharedId === id)?.role ?? 'none'}
              />
            ))}
            {groups.length === 0 && <p>{t('no_groups')}</p>}
          </Form>
        )}
      </Show>
    </Dialog>
  );
}

/** The groups that the user may share with, and those that the collection is already shared with. */
async function readGroups(shared: number[]): Promise<Group[]> {
  const groups: Group[] = [];
  if (isAdministrator()) {
    for await (const { id, name } of api.admin.groups.list({ query: { size: 100 } })) groups.push({ id, name });
  } else groups.push(...(await api.user.groups.list()));
  const others = shared.filter((id) => groups.every((group) => group.id !== id));
  return [...groups, ...others.map((id) => ({ id, name: t('group_number', { id: String(id) }) }))];
}
