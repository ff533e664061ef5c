import type { GuardDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm, Dialog } from '../../../components/dialog';
import { Menu, type MenuItem } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { Secret } from '../../../components/secret';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { UserText } from '../../../components/user-text';
import { GuardForm } from './guard-form';
import { GuardTrial } from './guard-trial';

const t = texts('guards');
const admin = texts('admin');
const manage = texts('manage');

type Opened = { form: 'new' | GuardDto } | { trial: GuardDto } | { secret: string };

/** Services and built-in rules that check texts, in their order. */
export function Guards(): JSX.Element {
  const [version, change] = useVersion();
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => {
    setOpened(undefined);
    change();
  };
  return (
    <Page
      title={admin('page_guards')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpened({ form: 'new' })}>
          {t('new_guard')}
        </Button>
      }
    >
      <p class="soft">{t('guards_text')}</p>
      <DataTable
        label={admin('page_guards')}
        version={version}
        // The parameters come from the page's address. The service validates them.
        load={async (query) => (await api.admin.guards.list({ query: query as object })).data}
        columns={[
          { name: 'name', label: admin('name'), cell: (guard) => <Name guard={guard} /> },
          { name: 'kind', label: t('kind'), cell: ({ kind }) => t(`kind_${kind}`) },
          {
            name: 'stages',
            label: t('stages'),
            cell: ({ stages }) => stages.map((one) => t(`stage_${one}`)).join(', '),
          },
          { name: 'mode', label: t('mode'), cell: ({ mode }) => t(`mode_${mode}`) },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (guard) => (
              <Menu label={manage('actions_of', { name: guard.name })} items={actionsOf(guard, setOpened, change)} />
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_guards')}</p>}
      />
      {opened && 'form' in opened && (
        <GuardForm
          guard={opened.form === 'new' ? null : opened.form}
          onSaved={(secret) => (secret === null ? close() : setOpened({ secret }))}
          onClose={close}
        />
      )}
      {opened && 'trial' in opened && <GuardTrial guard={opened.trial} onClose={() => setOpened(undefined)} />}
      {opened && 'secret' in opened && (
        <Dialog title={t('secret')} onClose={close}>
          <Secret label={t('secret')} value={opened.secret} warning={t('secret_once')} />
        </Dialog>
      )}
    </Page>
  );
}

function Name({ guard: { name, is_active: isActive } }: { guard: GuardDto }): JSX.Element {
  return (
    <>
      <UserText>{name}</UserText> {!isActive && <Badge>{t('off')}</Badge>}
    </>
  );
}

function actionsOf(guard: GuardDto, open: (opened: Opened) => void, change: () => void): MenuItem[] {
  const { id, name, is_active: isActive } = guard;
  const run = async (action: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(action)) toast(done);
    change();
  };
  const remove = async (): Promise<void> => {
    const question = { title: t('delete_title', { name }), text: t('delete_text'), action: manage('delete') };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    await run(() => api.admin.guards.remove({ path: { id } }), t('guard_deleted', { name }));
  };
  const moveUp = async (): Promise<void> => {
    const { data } = await api.admin.guards.list({ query: { size: 100 } });
    const ids = data.items.map((one) => one.id);
    const place = ids.indexOf(id);
    ids.splice(Math.max(0, place - 1), 0, ...ids.splice(place, 1));
    await api.admin.guards.order({ body: { ids } });
  };
  return [
    { label: t('edit'), icon: 'edit', onSelect: () => open({ form: guard }) },
    { label: t('test'), icon: 'check', onSelect: () => open({ trial: guard }) },
    ...(guard.position > 1
      ? [{ label: t('move_up'), icon: 'ascending' as const, onSelect: () => void run(moveUp, t('order_changed')) }]
      : []),
    {
      label: t(isActive ? 'switch_off' : 'switch_on'),
      icon: isActive ? 'stop' : 'check',
      onSelect: () =>
        void run(
          () => api.admin.guards.update({ path: { id }, body: { is_active: !isActive } }),
          t(isActive ? 'switched_off' : 'switched_on', { name }),
        ),
    },
    { label: manage('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove() },
  ];
}
