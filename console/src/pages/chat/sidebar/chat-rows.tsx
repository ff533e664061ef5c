import { Component, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { language, texts } from '../../../app/i18n/languages';
import { Icon } from '../../../components/icon';
import type { Chat } from '../state/types';
import { ChatMenu } from './chat-menu';

const t = texts('chat');

/** Rows that are rendered together, or skipped together while far from the view. */
export const ROWS = 40;

/** Must match the style sheet. */
const ROW_REM = 2.25;

/** A part of the list. There may be thousands of chats, so only rows near the view are rendered. */
export function ChatRows({ chats, path }: { chats: Chat[]; path: string }): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  // A short part renders at once, such as a chat that was just pinned.
  const [isNear, setIsNear] = useState(chats.length < ROWS);
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const look = (entries: IntersectionObserverEntry[]): void =>
      // Rows with the keyboard focus stay rendered.
      setIsNear(entries.at(-1)?.isIntersecting === true || element.contains(document.activeElement));
    const observer = new IntersectionObserver(look, { root: element.closest('.aside'), rootMargin: '800px' });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <ul ref={list} style={{ minHeight: `${chats.length * ROW_REM}rem` }}>
      {isNear &&
        chats.map((chat) => (
          <ChatRow key={chat.id} chat={chat} isOpen={path === `/chat/${chat.id}`} language={language()} />
        ))}
    </ul>
  );
}

/** Renders again only if the row itself has changed. */
class ChatRow extends Component<{ chat: Chat; isOpen: boolean; language: string }> {
  override shouldComponentUpdate(next: ChatRow['props']): boolean {
    const { chat, isOpen, language: spoken } = this.props;
    return next.chat !== chat || next.isOpen !== isOpen || next.language !== spoken;
  }

  override render({ chat, isOpen }: ChatRow['props']): JSX.Element {
    const { match } = chat;
    return (
      <li class={`chat-row ${isOpen ? 'current' : ''}`}>
        <Link
          href={`/chat/${chat.id}${match ? `?message=${match.message_id}` : ''}`}
          class="chat-link"
          aria-current={isOpen ? 'page' : undefined}
          title={chat.title}
        >
          {chat.active_message_id !== null && <span class="spinner" role="img" aria-label={t('is_writing')} />}
          {match ? (
            <span class="chat-found">
              <bdi>{chat.title}</bdi>
              <span class="soft" dir="auto">
                {match.excerpt}
              </span>
            </span>
          ) : (
            <bdi>{chat.title}</bdi>
          )}
          {chat.tags.length > 0 && <TagMark tags={chat.tags} />}
        </Link>
        <ChatMenu chat={chat} />
      </li>
    );
  }
}

function TagMark({ tags }: { tags: string[] }): JSX.Element {
  return (
    <span class="tag-mark">
      <Icon name="tag" />
      <span class="visually-hidden">{tags.join(', ')}</span>
    </span>
  );
}
