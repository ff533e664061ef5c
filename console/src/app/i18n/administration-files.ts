/** The loaders of the texts that only administrators see, so that the first page does not contain them. */
export const administrationFiles = import.meta.glob<Record<string, string>>(
  '../../locales/*/{admin,company,guards,manage,money,operation,retention,servers}.json',
  { import: 'default' },
);
