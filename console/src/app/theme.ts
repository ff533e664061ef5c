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

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

/** Switches the theme and saves the choice in this browser. */
export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEPT_AS, chosen);
  theme.value = chosen;
}
