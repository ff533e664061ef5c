import { signal } from '@preact/signals';
import type account from '../../locales/en/account.json';
import type acting from '../../locales/en/acting.json';
import type admin from '../../locales/en/admin.json';
import type auth from '../../locales/en/auth.json';
import type chat from '../../locales/en/chat.json';
import type company from '../../locales/en/company.json';
import type device from '../../locales/en/device.json';
import type guards from '../../locales/en/guards.json';
import type knowledge from '../../locales/en/knowledge.json';
import type manage from '../../locales/en/manage.json';
import type money from '../../locales/en/money.json';
import type operation from '../../locales/en/operation.json';
import type palette from '../../locales/en/palette.json';
import type questions from '../../locales/en/questions.json';
import type replies from '../../locales/en/replies.json';
import type retention from '../../locales/en/retention.json';
import type servers from '../../locales/en/servers.json';
import type share from '../../locales/en/share.json';
import type shell from '../../locales/en/shell.json';
import type table from '../../locales/en/table.json';
import type webhooks from '../../locales/en/webhooks.json';
import { formatter } from './formatters';
import { localeFiles } from './locale-files';

/** The texts of each area of the console. A page loads only the areas it shows. */
interface Texts {
  shell: typeof shell;
  chat: typeof chat;
  account: typeof account;
  acting: typeof acting;
  admin: typeof admin;
  guards: typeof guards;
  knowledge: typeof knowledge;
  manage: typeof manage;
  company: typeof company;
  device: typeof device;
  money: typeof money;
  auth: typeof auth;
  operation: typeof operation;
  palette: typeof palette;
  questions: typeof questions;
  replies: typeof replies;
  retention: typeof retention;
  servers: typeof servers;
  share: typeof share;
  table: typeof table;
  webhooks: typeof webhooks;
}

export type Area = keyof Texts;

/** `files_one` and `files_other` are used as one text, `files`, that depends on `count`. */
type TextKey<Keys> = Keys extends `${infer Stem}_${'one' | 'other'}` ? Stem : Keys;
type Values = Record<string, string | number>;

/** The shipped languages, each with its own name. */
export const LANGUAGES = {
  en: 'English',
  zh: '中文',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  ja: '日本語',
} as const;

export type Language = keyof typeof LANGUAGES;

const KEPT_AS = 'console-language';
const loadedAreas = new Set<Area>();

/** Language and texts share one signal, so that both change in one render. */
const shown = signal<{ language: Language; texts: Partial<Record<Area, Record<string, string>>> }>({
  language: 'en',
  texts: {},
});

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(LANGUAGES, tag);
}

/** The current language. A component that reads it renders again when it changes. */
export function language(): Language {
  return shown.value.language;
}

/** The languages that the installation offers. The first one is the default. */
export const offered = signal<Language[]>(Object.keys(LANGUAGES).filter(isLanguage));

/** @param languages empty: all shipped languages */
export function offerLanguages(languages: Language[]): void {
  if (languages.length > 0) offered.value = languages;
  const chosen = preferredLanguage();
  if (loadedAreas.size > 0 && chosen !== shown.peek().language) void show(chosen, [...loadedAreas]);
}

/**
 * The language the user chose in this browser, otherwise the browser's first offered language, otherwise the default.
 */
export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS);
  const wanted = [...(kept === null ? [] : [kept]), ...navigator.languages].map((tag) => tag.split('-')[0] ?? '');
  return wanted.filter(isLanguage).find((tag) => offered.peek().includes(tag)) ?? offered.peek()[0] ?? 'en';
}

/** Switches the language and saves the choice in this browser. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(KEPT_AS, chosen);
  await show(chosen, [...loadedAreas]);
}

/** Loads the texts of some areas in the current language. A page waits for this before it renders. */
export async function loadTexts(...areas: Area[]): Promise<void> {
  const missing = areas.filter((area) => !loadedAreas.has(area));
  if (missing.length > 0) {
    await show(loadedAreas.size === 0 ? preferredLanguage() : shown.peek().language, missing);
  }
}

async function show(chosen: Language, areas: Area[]): Promise<void> {
  const loaded = await Promise.all(areas.map(async (area) => [area, await read(chosen, area)] as const));
  areas.forEach((area) => loadedAreas.add(area));
  const kept = shown.peek().language === chosen ? shown.peek().texts : {};
  shown.value = { language: chosen, texts: { ...kept, ...Object.fromEntries(loaded) } };
  document.documentElement.lang = chosen;
}

async function read(chosen: Language, area: Area): Promise<Record<string, string>> {
  const path = `../../locales/${chosen}/${area}.json`;
  const load = localeFiles[path] ?? (await import('./administration-files')).administrationFiles[path];
  return load ? await load() : {};
}

/**
 * The texts of one area: `const t = texts('chat')`, then `t('send')`. `{name}` in a text is replaced by the value;
 * `count` selects `_one` or `_other` by the plural rules of the language. Call `t` while rendering, so that the text
 * follows a change of language.
 */
export function texts<Name extends Area>(
  area: Name,
): (key: TextKey<keyof Texts[Name] & string>, values?: Values) => string {
  return (key, values = {}) => {
    const { language: spoken, texts: all } = shown.value;
    const found: Record<string, string | undefined> = all[area] ?? {};
    const { count } = values;
    const plural =
      typeof count === 'number' ? `${key}_${formatter(Intl.PluralRules, spoken).select(count)}` : undefined;
    const text = (plural && found[plural]) ?? found[`${key}_other`] ?? found[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? formatter(Intl.NumberFormat, spoken).format(value) : (value ?? whole);
    });
  };
}
