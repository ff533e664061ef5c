import { Component, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { language, texts } from '../../languages';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { Failed } from '../../parts/states';
import { chosenTag, isArchiveShown, pages, searchText } from './chat-directory';
import { groupChats, type GroupName } from './chat-groups';
import { ChatMenu } from './chat-menu';
import type { Chat } from './types';

const t = texts('chat');

/** The conversations under their headings. More are read when the end comes near. */
export function ChatList(): JSX.Element {
  const [path] = useLocation();
  const { isComplete, isLoading, error } = pages.value;
  const chats = pages.value.chats.value;
  if (error.value) return <Failed error={error.value} retry={() => void pages.peek().loadMore()} />;
  return (
    <div class="chat-list" aria-busy={isLoading.value}>
      {groupChats(chats, new Date()).map(({ name, chats: grouped }) => (
        <section key={groupKey(name)} aria-labelledby={`chats-${groupKey(name)}`}>
          <h2 id={`chats-${groupKey(name)}`} class="group-name">
            {groupLabel(name)}
          </h2>
          <ul>
            {grouped.map((chat) => (
              <ChatRow key={chat.id} chat={chat} isOpen={path === `/chat/${chat.id}`} language={language()} />
            ))}
          </ul>
        </section>
      ))}
      {chats.length === 0 && isComplete.value && <p class="soft list-note">{emptyText()}</p>}
      {!isComplete.value && <More count={chats.length} />}
    </div>
  );
}

function groupKey(name: GroupName): string {
  return typeof name === 'string' ? name : name.month;
}

function groupLabel(name: GroupName): string {
  if (typeof name === 'string') return t(`group_${name}`);
  return new Intl.DateTimeFormat(language(), { month: 'long', year: 'numeric' }).format(new Date(`${name.month}-15`));
}

function emptyText(): string {
  if (searchText.value !== '' || chosenTag.value !== '') return t('none_found');
  return t(isArchiveShown.value ? 'none_archived' : 'none_yet');
}

/** A row is drawn again only when something in it has changed: there may be thousands. */
class ChatRow extends Component<{ chat: Chat; isOpen: boolean; language: string }> {
  override shouldComponentUpdate(next: ChatRow['props']): boolean {
    const { chat, isOpen, language: spoken } = this.props;
    return next.chat !== chat || next.isOpen !== isOpen || next.language !== spoken;
  }

  override render({ chat, isOpen }: ChatRow['props']): JSX.Element {
    return (
      <li class={`chat-row ${isOpen ? 'current' : ''}`}>
        <Link href={`/chat/${chat.id}`} class="chat-link" aria-current={isOpen ? 'page' : undefined} title={chat.title}>
          {chat.active_message_id !== null && <span class="spinner" role="img" aria-label={t('is_writing')} />}
          <bdi>{chat.title}</bdi>
          {chat.tags.length > 0 && <TagMark count={chat.tags.length} tags={chat.tags} />}
        </Link>
        <ChatMenu chat={chat} />
      </li>
    );
  }
}

function TagMark({ tags }: { count: number; tags: string[] }): JSX.Element {
  return (
    <span class="tag-mark">
      <Icon name="tag" />
      <span class="visually-hidden">{tags.join(', ')}</span>
    </span>
  );
}

/** Reads on as soon as it comes into view; a button, for who does not scroll. */
function More({ count }: { count: number }): JSX.Element {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void pages.peek().loadMore(), {
      rootMargin: '400px',
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
    // Observed anew after each page, for one page may not fill the view.
  }, [count]);
  return (
    <div ref={end} class="list-note">
      <Button kind="quiet" busy={pages.value.isLoading.value} onClick={() => void pages.peek().loadMore()}>
        {t('more_chats')}
      </Button>
    </div>
  );
}
