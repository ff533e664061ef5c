import '../../../styles/palette.css';
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from '../../../components/dialog';
import { Icon } from '../../../components/icon';
import { texts } from '../../i18n/languages';
import { showPalette, takeTyped } from '../../palette';
import { useLoad } from '../../use-load';
import { find, type Found } from './found';
import { type Entry, type Group, matching, readPlaces } from './places';

const t = texts('palette');

/** The search request is sent after this pause in typing. */
const REST_MILLISECONDS = 200;

const NOTHING: Found = { groups: [], isPartial: false };

/** The command palette: pages, actions, and search results for chats, agents, users and keys. */
export function Palette(): JSX.Element {
  const [, navigate] = useLocation();
  const [words, setWords] = useState(takeTyped);
  const [at, setAt] = useState(0);
  const { data: places } = useLoad(readPlaces, []);
  const found = useFound(words.trim());
  const groups = [...(places?.() ?? []), ...found.groups]
    .map(({ name, entries }) => ({ name, entries: matching(entries, isKnownHere(name) ? words : '') }))
    .filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = entries[Math.min(at, entries.length - 1)];

  const close = (): void => showPalette(false);
  const act = (entry: Entry | undefined): void => {
    if (!entry) return;
    close();
    entry.act(navigate);
  };
  const move = (event: KeyboardEvent): void => {
    const last = entries.length - 1;
    const present = Math.max(0, Math.min(at, last));
    const next = { ArrowDown: present === last ? 0 : present + 1, ArrowUp: present === 0 ? last : present - 1 }[
      event.key
    ];
    if (event.isComposing) return;
    if (event.key === 'Enter') act(chosen);
    else if (next === undefined) return;
    else setAt(next);
    event.preventDefault();
  };

  return (
    <Dialog title={t('title')} onClose={close}>
      <Search
        words={words}
        chosen={chosen}
        onKeyDown={move}
        onInput={(text) => {
          setWords(text);
          setAt(0);
        }}
      />
      <Results groups={groups} chosen={chosen} onChoose={act} />
      <p class="soft" role="status">
        {places && entries.length === 0 && t('nothing')}
        {found.isPartial && t('partial')}
      </p>
    </Dialog>
  );
}

/** Whether the entries are matched here. The service matches its own results. */
function isKnownHere(name: Group['name']): boolean {
  return name === 'actions' || name === 'pages';
}

/** Ignores responses that arrive after further typing. */
function useFound(words: string): Found {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    if (words === '') {
      setFound(NOTHING);
      return undefined;
    }
    let isOld = false;
    const rest = setTimeout(() => void find(words).then((answer) => !isOld && setFound(answer)), REST_MILLISECONDS);
    return () => {
      isOld = true;
      clearTimeout(rest);
    };
  }, [words]);
  return found;
}

interface SearchProps {
  words: string;
  chosen: Entry | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
  onInput: (words: string) => void;
}

const LIST_ID = 'palette-list';
const optionId = ({ id }: Entry): string => `palette-${id}`;

function Search({ words, chosen, onKeyDown, onInput }: SearchProps): JSX.Element {
  return (
    <input
      // The dialog moves the focus here as it opens, so that no key is lost.
      autofocus
      class="input"
      role="combobox"
      aria-label={t('title')}
      aria-expanded="true"
      aria-controls={LIST_ID}
      aria-autocomplete="list"
      aria-activedescendant={chosen && optionId(chosen)}
      placeholder={t('hint')}
      autoComplete="off"
      spellcheck={false}
      dir="auto"
      value={words}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

interface ResultsProps {
  groups: Group[];
  chosen: Entry | undefined;
  onChoose: (entry: Entry) => void;
}

function Results({ groups, chosen, onChoose }: ResultsProps): JSX.Element {
  const id = useId();
  useEffect(() => {
    if (chosen) document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);
  return (
    <div id={LIST_ID} class="palette" role="listbox" aria-label={t('title')} tabIndex={-1}>
      {groups.map(({ name, entries }) => (
        <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
          <div id={`${id}-${name}`} class="palette-group" role="presentation">
            {t(`group_${name}`)}
          </div>
          {entries.map((entry) => (
            <div
              key={entry.id}
              id={optionId(entry)}
              class="palette-entry"
              role="option"
              aria-selected={entry.id === chosen?.id}
              onClick={() => onChoose(entry)}
            >
              <Icon name={entry.icon} />
              <bdi>{entry.label}</bdi>
              {entry.note && <span class="soft">{entry.note}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
