import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { formatMonth } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Button } from '../../../components/button';
import { Failed } from '../../../components/states';
import { groupChats, type GroupName } from '../state/list/chat-groups';
import type { Chat } from '../state/types';
import { workspace } from '../state/workspace';
import { ChatRows, ROWS } from './chat-rows';

const t = texts('chat');

/** The grouped chats. More are loaded as the user scrolls to the end. */
export function ChatList(): JSX.Element {
  const [path] = useLocation();
  const { pages } = workspace().directory;
  const { isComplete, isLoading, error } = pages.value;
  const chats = pages.value.chats.value;
  return (
    <div class="chat-list" aria-busy={isLoading.value}>
      {groupChats(chats, new Date()).map(({ name, chats: grouped }) => (
        <section key={groupKey(name)} aria-labelledby={`chats-${groupKey(name)}`}>
          <h2 id={`chats-${groupKey(name)}`} class="group-name">
            {groupLabel(name)}
          </h2>
          {piecesOf(grouped).map((piece, index) => (
            <ChatRows key={index} chats={piece} path={path} />
          ))}
        </section>
      ))}
      {chats.length === 0 && isComplete.value && <p class="soft list-note">{emptyText()}</p>}
      {error.value ? (
        <Failed error={error.value} retry={() => void pages.peek().loadMore()} />
      ) : (
        !isComplete.value && <More count={chats.length} />
      )}
    </div>
  );
}

function groupKey(name: GroupName): string {
  return typeof name === 'string' ? name : name.month;
}

function groupLabel(name: GroupName): string {
  if (typeof name === 'string') return t(`group_${name}`);
  return formatMonth(name.month);
}

function emptyText(): string {
  const { searchText, chosenTag, isArchiveShown } = workspace().directory;
  if (searchText.value !== '' || chosenTag.value !== '') return t('none_found');
  return t(isArchiveShown.value ? 'none_archived' : 'none_yet');
}

function piecesOf(chats: Chat[]): Chat[][] {
  return Array.from({ length: Math.ceil(chats.length / ROWS) }, (_value, index) =>
    chats.slice(index * ROWS, (index + 1) * ROWS),
  );
}

/** Loads more when it scrolls into view. The button is for users who do not scroll. */
function More({ count }: { count: number }): JSX.Element {
  const end = useRef<HTMLDivElement>(null);
  const { pages } = workspace().directory;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void pages.peek().loadMore(), {
      root: end.current?.closest('.aside'),
      rootMargin: '800px',
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
    // Observed again after each page, because one page may not fill the view.
  }, [count]);
  return (
    <div ref={end} class="list-note">
      <Button kind="quiet" busy={pages.value.isLoading.value} onClick={() => void pages.peek().loadMore()}>
        {t('more_chats')}
      </Button>
    </div>
  );
}
