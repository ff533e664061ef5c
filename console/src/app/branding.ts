import { effect, signal } from '@preact/signals';
import type { BrandingDto } from 'chat-service-client';
import { api } from './api';
import { readable } from './brand-colour';
import { isLanguage, offerLanguages } from './i18n/languages';

const KEPT_AS = 'console-branding';

/** How the installation shows itself; null: not known yet. It is kept in this browser, so that a later visit begins with it. */
export const branding = signal<BrandingDto | null>(kept());

effect(() => {
  const { style } = document.documentElement;
  const { colour = null, languages = [] } = branding.value ?? {};
  offerLanguages(languages.filter(isLanguage));
  const shown = colour === null ? null : readable(colour);
  for (const [name, value] of Object.entries(propertiesOf(shown))) {
    if (value === null) style.removeProperty(name);
    else style.setProperty(name, value);
  }
});

/** Asks the service; only a first visit waits for the answer. A page without it is shown all the same. */
export async function loadBranding(): Promise<void> {
  const loading = read();
  if (branding.peek() === null) await loading;
}

async function read(): Promise<void> {
  try {
    const found = await api.branding.read();
    localStorage.setItem(KEPT_AS, JSON.stringify(found));
    branding.value = found;
  } catch {
    // The page says itself when the service cannot be reached.
  }
}

function kept(): BrandingDto | null {
  const text = localStorage.getItem(KEPT_AS);
  return text === null ? null : (JSON.parse(text) as BrandingDto);
}

function propertiesOf(shown: ReturnType<typeof readable> | null): Record<string, string | null> {
  if (shown === null) return { '--accent': null, '--accent-strong': null, '--on-accent': null, '--accent-soft': null };
  const accent = `light-dark(${shown.light}, ${shown.dark})`;
  return {
    '--accent': accent,
    '--accent-strong': `color-mix(in oklab, ${accent} 80%, light-dark(#000000, #ffffff))`,
    '--on-accent': 'light-dark(#ffffff, #15171c)',
    '--accent-soft': `color-mix(in oklab, ${accent} 14%, var(--page))`,
  };
}
