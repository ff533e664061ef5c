import type { EntryDto, KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, saveFile } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Menu } from '../../../components/menu';
import { AttributesDialog } from './attributes-dialog';

const t = texts('knowledge');

interface EntryActionsProps {
  collection: KnowledgeDto;
  entry: EntryDto;
  onChange: () => void;
}

/** What the user may do with a file of a collection. */
export function EntryActions({ collection: { id, my_role: role }, entry, onChange }: EntryActionsProps): JSX.Element {
  const [isEditing, setIsEditing] = useState(false);
  const { file_id, filename: name, status, warning } = entry;
  const path = { id, file_id };
  const isEditor = role !== 'reader';
  const isUnfinished = status === 'failed' || status === 'cancelled' || warning !== null;
  const retry = async (): Promise<void> => {
    const isRead = status === 'completed' && warning?.startsWith('ingestion') !== true;
    await attempt(() => api.knowledge.retryFile({ path, body: isRead ? { embeddings: true } : {} }));
    onChange();
  };
  const download = (): Promise<unknown> =>
    attempt(async () => saveFile(await api.files.readContent({ path: { id: file_id } }), name));
  const remove = async (): Promise<void> => {
    const question = { title: t('remove_title', { name }), text: t('remove_text'), action: t('remove') };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await attempt(() => api.knowledge.removeFile({ path }))) toast(t('removed', { name }));
    onChange();
  };
  return (
    <span class="row-actions">
      {isEditor && isUnfinished && (
        <Button aria-label={`${t('retry')}: ${name}`} onClick={() => void retry()}>
          {t('retry')}
        </Button>
      )}
      <Menu
        label={t('actions_for', { name })}
        items={[
          { label: t('download'), icon: 'download', onSelect: () => void download() },
          ...(isEditor
            ? ([
                { label: t('edit_attributes'), icon: 'tag', onSelect: () => setIsEditing(true) },
                { label: t('remove'), icon: 'trash', isDangerous: true, onSelect: () => void remove() },
              ] as const)
            : []),
        ]}
      />
      {isEditing && (
        <AttributesDialog storeId={id} entry={entry} onSaved={onChange} onClose={() => setIsEditing(false)} />
      )}
    </span>
  );
}
