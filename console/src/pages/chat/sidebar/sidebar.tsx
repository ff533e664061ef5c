import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { texts } from '../../../app/i18n/languages';
import { Icon } from '../../../components/icon';
import { workspace } from '../state/workspace';
import { ChatList } from './chat-list';
import { QuotaMeter } from './quota-meter';

const t = texts('chat');
const shell = texts('shell');

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 250;

/** The list of chats with search and filters. */
export function Sidebar(): JSX.Element {
  const [path] = useLocation();
  const { directory, isHelpShown } = workspace();
  const { isArchiveShown } = directory;
  return (
    <div class="chat-side">
      <div class="side-head">
        <Link href="/chat" class="button primary" aria-current={path === '/chat' ? 'page' : undefined}>
          <Icon name="plus" />
          {t('new_chat')}
        </Link>
        <Search />
        <Tags />
        {isArchiveShown.value && (
          <button type="button" class="button quiet" onClick={() => directory.showArchive(false)}>
            <Icon name="back" />
            {t('archived_chats')}
          </button>
        )}
      </div>
      <ChatList />
      <div class="side-foot">
        <QuotaMeter />
        <div class="row">
          <button
            type="button"
            class="button quiet small"
            aria-pressed={isArchiveShown.value}
            onClick={() => directory.showArchive(!isArchiveShown.value)}
          >
            <Icon name="archive" />
            {t('archive_place')}
          </button>
          <Link
            href="/chat/trash"
            class="button quiet small"
            aria-current={path === '/chat/trash' ? 'page' : undefined}
          >
            <Icon name="trash" />
            {t('trash')}
          </Link>
          <button
            type="button"
            class="button quiet small only-icon"
            title={t('keys')}
            aria-label={t('keys')}
            onClick={() => (isHelpShown.value = true)}
          >
            <Icon name="keyboard" />
          </button>
        </div>
      </div>
    </div>
  );
}

function Search(): JSX.Element {
  const { searchText } = workspace().directory;
  const [text, setText] = useState(searchText.value);
  const timer = useRef<number>();
  // Choosing the archive or a label clears the search.
  useEffect(() => setText(searchText.value), [searchText.value]);
  const search = (wanted: string): void => {
    setText(wanted);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => (searchText.value = wanted.trim()), TYPING_MILLISECONDS);
  };
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={t('search_chats')}
        placeholder={t('search_chats')}
        maxLength={200}
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return;
          event.stopPropagation();
          search('');
        }}
      />
      {text !== '' && (
        <button
          type="button"
          class="button quiet only-icon small"
          aria-label={shell('close')}
          onClick={() => search('')}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

function Tags(): JSX.Element | null {
  const { knownTags, chosenTag, isArchiveShown } = workspace().directory;
  if (knownTags.value.length === 0 || isArchiveShown.value) return null;
  return (
    <div class="tags" role="group" aria-label={t('tags')}>
      {knownTags.value.map((tag) => (
        <button
          key={tag}
          type="button"
          class="tag"
          aria-pressed={chosenTag.value === tag}
          onClick={() => (chosenTag.value = chosenTag.value === tag ? '' : tag)}
        >
          <bdi>{tag}</bdi>
        </button>
      ))}
    </div>
  );
}
