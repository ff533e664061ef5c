import type { JSX } from 'preact';
import { useLocation } from 'wouter-preact';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Menu } from '../../../components/menu';
import { archiveChat, deleteChat, pinChat } from '../state/chat-actions';
import type { Chat } from '../state/types';
import { askTags, askTitle, showShares } from './chat-dialogs';

const t = texts('chat');

const FORMATS = ['markdown', 'json'] as const;

interface ChatMenuProps {
  chat: Chat;
  /** Only on the page of the chat. */
  onPrint?: () => void;
}

/** All actions for a chat. */
export function ChatMenu({ chat, onPrint }: ChatMenuProps): JSX.Element {
  const [path, navigate] = useLocation();
  const leave = (): void => {
    if (path === `/chat/${chat.id}`) navigate('/chat');
  };
  return (
    <Menu
      label={t('actions_for', { title: chat.title })}
      items={[
        { label: t('rename'), icon: 'edit', onSelect: () => askTitle(chat) },
        { label: t(chat.is_pinned ? 'unpin' : 'pin'), icon: 'pin', onSelect: () => void pinChat(chat) },
        { label: t('edit_tags'), icon: 'tag', onSelect: () => askTags(chat) },
        { label: t('share'), icon: 'share', onSelect: () => showShares(chat) },
        ...(onPrint ? [{ label: t('print'), icon: 'print' as const, onSelect: onPrint }] : []),
        ...FORMATS.map((format) => ({
          label: t(`export_${format}`),
          icon: 'download' as const,
          onSelect: () => void attempt(async () => (await import('../export/export-chat')).exportChat(chat, format)),
        })),
        {
          label: t(chat.is_archived ? 'unarchive' : 'archive'),
          icon: 'archive',
          onSelect: () => void archiveChat(chat),
        },
        { label: t('delete'), icon: 'trash', isDangerous: true, onSelect: () => void deleteChat(chat, leave) },
      ]}
    />
  );
}
