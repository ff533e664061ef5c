import { effect, signal } from '@preact/signals';
import type { BrandingDto } from 'chat-service-client';
import { api } from './api';
import { readable, SOFT_SHARE } from './brand-colour';
import { isLanguage, offerLanguages } from './i18n/languages';

const KEPT_AS = 'console-branding';

/**
 * The branding of the installation; null until it is known. It is cached in this browser for the first paint of later
 * visits.
 */
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

/** Applies the branding from the service and caches it. */
export function showBranding(found: BrandingDto): void {
  localStorage.setItem(KEPT_AS, JSON.stringify(found));
  branding.value = found;
}

/** Reloads the branding after a change. If the request fails, the current branding stays. */
export async function loadBranding(): Promise<void> {
  await api.branding.read().then(showBranding, () => undefined);
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
    '--on-accent': 'light-dark(#ffffff, #16181d)',
    '--accent-soft': `color-mix(in srgb, ${accent} ${SOFT_SHARE * 100}%, var(--page))`,
  };
}
