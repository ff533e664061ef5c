import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'console-theme';

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

/** The user's choice in this browser; `system` follows the operating system. */
export const theme = signal<Theme>(keptTheme());

/** The colour of the browser's own bars, the same as `--surface`. */
const BARS = { light: '#f6f6f8', dark: '#0f1115' };

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  for (const bar of document.querySelectorAll<HTMLMetaElement>('[name=theme-color]')) {
    bar.content = BARS[theme.value === 'system' ? (bar.media.includes('dark') ? 'dark' : 'light') : theme.value];
  }
});

/** Switches the theme and saves the choice in this browser. */
export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEPT_AS, chosen);
  theme.value = chosen;
}
