/** What loads the texts of each language and part, by the path of its file. */
export const localeFiles = import.meta.glob<Record<string, string>>('../../locales/*/*.json', { import: 'default' });
