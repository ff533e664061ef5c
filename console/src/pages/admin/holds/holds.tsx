import type { HoldDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, saveFile } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { SubjectField, subjectOf } from '../../../components/admin/subject-field';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { instantOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextArea, TextField, textOf } from '../../../components/form/form';
import { Menu } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('company');
const admin = texts('admin');
const manage = texts('manage');

const SCOPES = ['user', 'chat', 'group'] as const;
const STATUSES = ['active', 'released', 'expired'] as const;
const PLACES = { user: 'users', chat: 'chats', group: 'groups' };

type Action = { hold: HoldDto; kind: 'release' | 'export' };

/** All legal holds, with what they covered when they began. */
export function Holds(): JSX.Element {
  const [version, change] = useVersion();
  const [isCreating, setIsCreating] = useState(false);
  const [action, setAction] = useState<Action>();
  const close = (): void => {
    setIsCreating(false);
    setAction(undefined);
    change();
  };
  return (
    <Page
      title={admin('page_holds')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('new_hold')}
        </Button>
      }
    >
      <p class="soft">{t('holds_text')}</p>
      <DataTable
        label={admin('page_holds')}
        version={version}
        // The parameters come from the page's address. The service validates them.
        load={async (query) => (await api.admin.holds.list({ query: query as object })).data}
        filters={[
          { name: 'status', label: t('hold_status'), choices: choicesOf(STATUSES, (one) => t(`hold_status_${one}`)) },
          { name: 'scope', label: t('hold_scope'), choices: choicesOf(SCOPES, (one) => t(`hold_scope_${one}`)) },
        ]}
        columns={[
          { name: 'name', label: admin('name'), cell: (hold) => <Name hold={hold} /> },
          {
            name: 'scope',
            label: t('hold_scope'),
            cell: ({ scope, scope_id: id }) => (
              <Link href={`/admin/${PLACES[scope]}/${id}`}>
                {t(`hold_scope_${scope}`)} #{id}
              </Link>
            ),
          },
          { name: 'counts', label: t('hold_covers'), cell: ({ counts }) => t('hold_counts', numbersOf(counts)) },
          {
            name: 'status',
            label: t('hold_status'),
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'warning' : ''}>{t(`hold_status_${status}`)}</Badge>
            ),
          },
          {
            name: 'until',
            label: t('hold_until'),
            cell: ({ until }) => (until === null ? t('hold_forever') : <Time at={until} />),
          },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (hold) => (
              <Menu
                label={manage('actions_of', { name: hold.name })}
                items={[
                  {
                    label: t('hold_export'),
                    icon: 'download' as const,
                    onSelect: () => setAction({ hold, kind: 'export' }),
                  },
                  ...(hold.status === 'active'
                    ? [
                        {
                          label: t('hold_release'),
                          icon: 'trash' as const,
                          isDangerous: true,
                          onSelect: () => setAction({ hold, kind: 'release' }),
                        },
                      ]
                    : []),
                ]}
              />
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_holds')}</p>}
      />
      {isCreating && <NewHold onClose={close} />}
      {action && <ReasonDialog {...action} onClose={close} />}
    </Page>
  );
}

function numbersOf(counts: HoldDto['counts']): Record<keyof HoldDto['counts'], string> {
  const { users, chats, messages, files } = counts;
  return {
    users: formatNumber(users),
    chats: formatNumber(chats),
    messages: formatNumber(messages),
    files: formatNumber(files),
  };
}

function Name({ hold: { name, reason } }: { hold: HoldDto }): JSX.Element {
  return (
    <div class="stack tight">
      <strong>
        <UserText>{name}</UserText>
      </strong>
      <span class="soft">
        <UserText>{reason}</UserText>
      </span>
    </div>
  );
}

function NewHold({ onClose }: { onClose: () => void }): JSX.Element {
  const [scope, setScope] = useState<HoldDto['scope']>('user');
  const create = async (entries: FormData): Promise<void> => {
    const until = instantOf(entries, 'until');
    const subject = textOf(entries, 'scope_id');
    await api.admin.holds.create({
      body: {
        scope,
        scope_id: scope === 'chat' ? Number(subject) : await subjectOf(scope, subject),
        name: textOf(entries, 'name'),
        reason: textOf(entries, 'reason'),
        notify: entries.has('notify'),
        ...(until && { until }),
      },
    });
    toast(t('hold_created'));
    onClose();
  };
  return (
    <Dialog title={t('new_hold')} onClose={onClose}>
      <Form action={manage('create')} onSubmit={create}>
        <TextField name="name" label={admin('name')} required maxLength={200} autoComplete="off" />
        <TextArea name="reason" label={t('hold_reason')} rows={2} required maxLength={2_000} />
        <Select
          name="scope"
          label={t('hold_scope')}
          choices={choicesOf(SCOPES, (one) => t(`hold_scope_${one}`))}
          value={scope}
          onChange={(value) => setScope(value as HoldDto['scope'])}
        />
        {scope === 'chat' ? (
          <TextField name="scope_id" label={t('hold_scope_id')} type="number" min={1} required />
        ) : (
          <SubjectField key={scope} scope={scope} label={t(`hold_scope_${scope}`)} />
        )}
        <TextField name="until" type="datetime-local" label={t('hold_until')} hint={t('hold_until_hint')} />
        <Checkbox name="notify" label={t('hold_notify')} checked />
      </Form>
    </Dialog>
  );
}

/** A release or an export, which the audit log stores with its reason. */
function ReasonDialog({ hold, kind, onClose }: Action & { onClose: () => void }): JSX.Element {
  const { id, name } = hold;
  const run = async (entries: FormData): Promise<void> => {
    const reason = textOf(entries, 'reason');
    if (kind === 'release') {
      await api.admin.holds.release({ path: { id }, body: { reason } });
      toast(t('hold_released'));
    } else {
      const file = await api.admin.holds.export({ path: { id }, query: { format: 'zip', reason } });
      saveFile(file, `hold-${id}.zip`);
    }
    onClose();
  };
  return (
    <Dialog title={t(`hold_${kind}_title`, { name })} onClose={onClose}>
      <p>{t(`hold_${kind}_text`)}</p>
      <Form action={t(`hold_${kind}`)} isDangerous={kind === 'release'} onSubmit={run}>
        <TextArea name="reason" label={t('hold_reason')} rows={2} required minLength={3} maxLength={500} />
      </Form>
    </Dialog>
  );
}
