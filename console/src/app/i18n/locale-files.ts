/** Loaders of the text files, by path. There is one file for each language and area. */
export const localeFiles = import.meta.glob<Record<string, string>>(
  ['../../locales/*/*.json', '!../../locales/*/{admin,company,guards,manage,money,operation,retention,servers}.json'],
  { import: 'default' },
);
