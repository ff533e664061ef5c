import type { GroupDto, IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useGroups } from '../../../components/admin/groups';
import { Button, IconButton } from '../../../components/button';
import { CheckboxGroup, Select, TextField } from '../../../components/form/form';

const t = texts('company');
const manage = texts('manage');

type Mapping = IdentityProviderDto['mappings'][number];

/** Maps the provider's groups to rights. */
export function Mappings({ mappings }: { mappings: Mapping[] }): JSX.Element {
  const groups = useGroups();
  const [rows, setRows] = useState(() => mappings.map((mapping, key) => ({ key, mapping })));
  const [next, setNext] = useState(mappings.length);
  const add = (): void => {
    setRows([...rows, { key: next, mapping: { value: '' } }]);
    setNext(next + 1);
  };
  return (
    <CheckboxGroup name="mappings" label={t('mappings')} hint={t('mappings_hint')}>
      {rows.map(({ key, mapping }, index) => (
        <div key={key} class="card row bottom">
          <MappingRow
            // The select boxes need the group names, which load after the form.
            key={groups === undefined ? 'waiting' : 'there'}
            mapping={mapping}
            groups={groups ?? []}
          />
          <IconButton
            icon="trash"
            label={t('remove_mapping', { number: index + 1 })}
            onClick={() => setRows(rows.filter((row) => row.key !== key))}
          />
        </div>
      ))}
      <div class="row">
        <Button icon="plus" onClick={add}>
          {t('add_mapping')}
        </Button>
      </div>
    </CheckboxGroup>
  );
}

function MappingRow({ mapping, groups }: { mapping: Mapping; groups: GroupDto[] }): JSX.Element {
  const known = groups.some(({ id }) => id === mapping.group);
  const missing = mapping.group === undefined || known ? [] : [{ id: mapping.group, name: `#${mapping.group}` }];
  const nothing = { value: '', label: '—' };
  return (
    <>
      <TextField
        name="mapping.value"
        label={t('mapping_value')}
        defaultValue={mapping.value}
        required
        maxLength={255}
        autoComplete="off"
      />
      <Select
        name="mapping.user_type"
        label={manage('user_type')}
        choices={[nothing, { value: 'admin', label: manage('type_admin') }]}
        value={mapping.user_type ?? ''}
      />
      <Select
        name="mapping.membership_type"
        label={manage('membership')}
        choices={[
          nothing,
          { value: 'monthly', label: manage('plan_monthly') },
          { value: 'yearly', label: manage('plan_yearly') },
        ]}
        value={mapping.membership_type ?? ''}
      />
      <Select
        name="mapping.group"
        label={t('group')}
        choices={[nothing, ...[...missing, ...groups].map(({ id, name }) => ({ value: String(id), label: name }))]}
        value={String(mapping.group ?? '')}
      />
    </>
  );
}
