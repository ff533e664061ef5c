import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren, ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { branding } from '../../app/branding';
import { chooseLanguage, language, LANGUAGES, loadTexts, offered, texts } from '../../app/i18n/languages';
import { controlName, showPalette } from '../../app/palette';
import { signOut } from '../../app/session';
import { chooseTheme, theme, THEMES } from '../../app/theme';
import { attempt } from '../../app/toasts';
import { isAdministrator, user, visit } from '../../app/visit';
import { IconButton } from '../button';
import { Menu } from '../menu';

const t = texts('shell');

/** Whether the sidebar is open on narrow screens. */
class Aside {
  readonly isOpen = signal(false);
}

const isAsideOpen = (): Signal<boolean> => visit().part(Aside).isOpen;

function closeAside(): void {
  isAsideOpen().value = false;
}

interface LayoutProps {
  /** Content of the sidebar, such as the chats. */
  aside?: ComponentChildren;
  asideLabel?: string;
  /** A page in the middle of the window, for visitors. */
  isCentred?: boolean;
  children: ComponentChildren;
}

/** The frame of every page: top bar, sidebar and content. */
export function Layout({ aside, asideLabel, isCentred = false, children }: LayoutProps): JSX.Element {
  const [path] = useLocation();
  const toggle = useRef<HTMLButtonElement>(null);
  const isOpen = isAsideOpen();
  useEffect(closeAside, [path]);
  return (
    <div class={`shell ${isCentred ? 'centred' : ''}`}>
      <a class="visually-hidden skip" href="#main">
        {t('skip')}
      </a>
      <header class="topbar">
        {aside && (
          <span class="aside-toggle">
            <IconButton
              icon="menu"
              label={asideLabel ?? t('menu')}
              aria-expanded={isOpen.value}
              aria-controls="aside"
              onClick={(event) => {
                isOpen.value = !isOpen.value;
                toggle.current = event.currentTarget;
              }}
            />
          </span>
        )}
        <TopLinks path={path} />
        <div class="topbar-menus">
          {user.value && (
            <span class="palette-button">
              <IconButton
                icon="search"
                label={`${t('palette')} (${controlName()} K)`}
                onClick={() => showPalette(true)}
              />
            </span>
          )}
          {user.value && <LaterPart load={loadInbox} path={path} />}
          <LanguageMenu />
          <ThemeMenu />
          {user.value && (
            <Menu
              icon="user"
              label={t('signed_in_as', { name: user.value.username })}
              items={[{ label: t('sign_out'), onSelect: () => void attempt(signOut) }]}
            />
          )}
        </div>
      </header>
      <div class={`body ${aside ? '' : 'without-aside'}`}>
        {aside && (
          <nav
            id="aside"
            class={`aside ${isOpen.value ? 'open' : ''}`}
            aria-label={asideLabel ?? t('menu')}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !isOpen.value) return;
              closeAside();
              toggle.current?.focus();
            }}
          >
            {aside}
          </nav>
        )}
        <main id="main" class="main" onClick={closeAside}>
          {children}
        </main>
      </div>
    </div>
  );
}

type BarPart = ComponentType<{ path: string }>;

const loadInbox = async (): Promise<BarPart> => {
  const [{ InboxLink }] = await Promise.all([import('./inbox-link'), loadTexts('acting')]);
  return InboxLink;
};

const loadFeatureLinks = async (): Promise<BarPart> => (await import('./feature-links')).FeatureLinks;

/** A part of the top bar. Pages render without it until its code is loaded. */
function LaterPart({ load, path }: { load: () => Promise<BarPart>; path: string }): JSX.Element | null {
  const [Part, setPart] = useState<BarPart | null>(null);
  useEffect(() => {
    load().then(
      (part) => setPart(() => part),
      () => undefined,
    );
  }, [load]);
  return Part && <Part path={path} />;
}

function TopLinks({ path }: { path: string }): JSX.Element {
  const places = user.value
    ? ([
        ['/chat', t('chat')],
        ['/knowledge', t('knowledge')],
        ['/account', t('account')],
        ...(isAdministrator() ? [['/admin', t('administration')]] : []),
      ] as [string, string][])
    : [];
  return (
    <nav aria-label={branding.value?.name ?? t('product')}>
      <span class="brand">
        {branding.value?.logo && <img class="logo" src={branding.value.logo} alt="" />}
        <span>{branding.value?.name ?? t('product')}</span>
      </span>
      {places.map(([place, label]) => (
        <Link key={place} href={place} class="button quiet" aria-current={path.startsWith(place) ? 'page' : undefined}>
          {label}
        </Link>
      ))}
      {user.value && <LaterPart load={loadFeatureLinks} path={path} />}
    </nav>
  );
}

function LanguageMenu(): JSX.Element {
  return (
    <Menu
      icon="language"
      label={`${t('language')}: ${LANGUAGES[language()]}`}
      items={offered.value.map((tag) => ({
        label: LANGUAGES[tag],
        isChosen: tag === language(),
        onSelect: () => void chooseLanguage(tag),
      }))}
    />
  );
}

function ThemeMenu(): JSX.Element {
  return (
    <Menu
      icon={theme.value === 'dark' ? 'moon' : 'sun'}
      label={t('theme')}
      items={THEMES.map((choice) => ({
        label: t(`theme_${choice}`),
        isChosen: theme.value === choice,
        onSelect: () => chooseTheme(choice),
      }))}
    />
  );
}
