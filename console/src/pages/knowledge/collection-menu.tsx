import { isApiError, type KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api } from '../../app/api';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { confirm } from '../../components/dialog';
import { Menu } from '../../components/menu';
import { CollectionForm } from './collection-form';

const t = texts('knowledge');

interface CollectionMenuProps {
  collection: KnowledgeDto;
  onChange: () => void;
}

/** What only the owner may do. Deleting a collection that agents use needs a second confirmation. */
export function CollectionMenu({ collection, onChange }: CollectionMenuProps): JSX.Element {
  const [, navigate] = useLocation();
  const [isEditing, setIsEditing] = useState(false);
  const { id, name } = collection;
  const remove = async (force: boolean): Promise<void> => {
    const text = t(force ? 'delete_used_text' : 'delete_text');
    const question = { title: t('delete_title', { name }), text, action: t('delete'), isDangerous: true };
    if (!(await confirm(question))) return;
    try {
      await api.knowledge.remove({ path: { id }, query: { force } });
      navigate('/knowledge');
      toast(t('deleted', { name }));
    } catch (error) {
      if (!force && isApiError(error, 'KNOWLEDGE_IN_USE')) await remove(true);
      else toast(failureText(error), { isFailure: true });
    }
  };
  return (
    <>
      <Menu
        label={t('actions')}
        items={[
          { label: t('edit'), icon: 'edit', onSelect: () => setIsEditing(true) },
          { label: t('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove(false) },
        ]}
      />
      {isEditing && (
        <CollectionForm
          collection={collection}
          onSaved={() => {
            setIsEditing(false);
            onChange();
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
