import type { IconName } from '../../../components/icon';
import { loadTexts, texts } from '../../i18n/languages';
import { signOut } from '../../session';
import { chooseTheme, THEMES } from '../../theme';
import { attempt } from '../../toasts';
import { isAdministrator } from '../../visit';
import { ACCOUNT_PAGES } from '../account-pages';

const t = texts('palette');
const shell = texts('shell');
const account = texts('account');
const acting = texts('acting');
const admin = texts('admin');

/** An entry of the palette: a page or an action. */
export interface Entry {
  id: string;
  label: string;
  /** Distinguishes the entry from others of the same name. */
  note?: string;
  icon: IconName;
  act: (navigate: (path: string) => void) => void;
}

export type GroupName = 'actions' | 'pages' | 'chats' | 'agents' | 'people' | 'keys';

export interface Group {
  name: GroupName;
  entries: Entry[];
}

export function placeEntry(id: string, path: string, entry: Pick<Entry, 'label' | 'note' | 'icon'>): Entry {
  return { id, ...entry, act: (navigate) => navigate(path) };
}

/** Loads pages and actions. The texts of administration pages are loaded only for administrators. */
export async function readPlaces(): Promise<() => Group[]> {
  const [groups] = await Promise.all([
    isAdministrator() ? import('../administration').then(({ GROUPS }) => GROUPS) : null,
    loadTexts('account', 'acting', ...(isAdministrator() ? (['admin'] as const) : [])),
  ]);
  const adminPages = groups === null ? [] : Object.values(groups).flat();
  // Built on each call, so that the texts follow the language.
  return () => [
    { name: 'actions', entries: actions() },
    {
      name: 'pages',
      entries: [
        placeEntry('chat', '/chat', { label: shell('chat'), icon: 'forward' }),
        placeEntry('knowledge', '/knowledge', { label: shell('knowledge'), icon: 'forward' }),
        placeEntry('inbox', '/inbox', { label: acting('inbox'), icon: 'forward' }),
        ...ACCOUNT_PAGES.map((page) =>
          placeEntry(page, `/account/${page}`, { label: account(page), note: shell('account'), icon: 'forward' }),
        ),
        ...adminPages.map((page) =>
          placeEntry(`admin-${page}`, `/admin/${page}`, {
            label: admin(`page_${page}`),
            note: shell('administration'),
            icon: 'forward',
          }),
        ),
      ],
    },
  ];
}

function actions(): Entry[] {
  return [
    placeEntry('new-chat', '/chat', { label: t('new_chat'), icon: 'plus' }),
    ...THEMES.map((choice): Entry => ({
      id: `theme-${choice}`,
      label: `${shell('theme')}: ${shell(`theme_${choice}`)}`,
      icon: choice === 'dark' ? 'moon' : 'sun',
      act: () => chooseTheme(choice),
    })),
    { id: 'sign-out', label: shell('sign_out'), icon: 'leave', act: () => void attempt(signOut) },
  ];
}

/** Returns the entries that contain all words. Those that start with them come first. */
export function matching(entries: Entry[], words: string): Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ label, note = '' }) => {
    const text = `${label} ${note}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const isFirst = ({ label }: Entry): number => Number(!label.toLowerCase().startsWith(wanted[0] ?? ''));
  return found.toSorted((one, other) => isFirst(one) - isFirst(other));
}
