import type { McpServerDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useGroups } from '../../../components/admin/groups';
import { Checkbox, CheckboxGroup, Select } from '../../../components/form/form';
import { Loading } from '../../../components/states';

const t = texts('servers');

interface ServerGroupsProps {
  groups: McpServerDto['groups'];
  /** Inputs next to the choice. */
  children: ComponentChildren;
}

/** Access to the tools: all users, or members of the chosen groups. With no group chosen, no user has access. */
export function ServerGroups({ groups: chosen, children }: ServerGroupsProps): JSX.Element {
  const groups = useGroups();
  const [isForGroups, setIsForGroups] = useState(chosen !== null);
  const gone = chosen?.filter((id) => groups?.every((group) => group.id !== id)) ?? [];
  return (
    <>
      <div class="fields">
        <Select
          name="for_groups"
          label={t('for')}
          choices={[
            { value: '', label: t('for_everybody') },
            { value: 'groups', label: t('for_groups') },
          ]}
          value={isForGroups ? 'groups' : ''}
          onChange={(value) => setIsForGroups(value === 'groups')}
        />
        {children}
      </div>
      {isForGroups && (
        <CheckboxGroup name="groups" label={t('groups')} hint={t('groups_hint')}>
          {groups === undefined ? <Loading /> : <input type="hidden" name="groups_shown" />}
          {groups?.map(({ id, name }) => (
            <Checkbox key={id} name="groups" value={String(id)} label={name} checked={chosen?.includes(id)} />
          ))}
          {groups !== undefined &&
            gone.map((id) => <Checkbox key={id} name="groups" value={String(id)} label={`#${id}`} checked />)}
          {groups?.length === 0 && <p>{t('no_groups')}</p>}
        </CheckboxGroup>
      )}
    </>
  );
}
