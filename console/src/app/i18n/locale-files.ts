/** Loaders of the text files, by path. There is one file for each language and area. */
export const localeFiles = import.meta.glob<Record<string, string>>('../../locales/*/*.json', { import: 'default' });
