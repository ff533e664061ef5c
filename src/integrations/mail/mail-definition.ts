/** One kind of mail. */
export interface MailDefinition<Values extends object> {
  /** Its name in the queue; its texts lie under `mails.<kind>` of the module's locale files. */
  readonly kind: string;
  /** File of its Handlebars template, in the building blocks of `templates/html` and `templates/text`. */
  readonly template: string;
  /** Example of its values. Times are ISO 8601, because mails wait in the queue as JSON. */
  readonly example: Values;
}

const definitions = new Map<string, MailDefinition<object>>();

/**
 * Defines a kind of mail in the module that sends it. Importing the definition registers it.
 *
 * @example
 * export const BOOKMARKS_CLEARED = defineMail('bookmarks_cleared', {
 *   template: join(__dirname, 'mails/bookmarks-cleared.hbs'),
 *   example: { count: 12 },
 * });
 *
 * await this.mails.enqueue(manager, { mail: BOOKMARKS_CLEARED, to, language, values: { count } });
 */
export function defineMail<Values extends object>(
  kind: string,
  { template, example }: Pick<MailDefinition<Values>, 'template' | 'example'>,
): MailDefinition<Values> {
  if (definitions.has(kind)) {
    throw new Error(`The mail ${kind} is defined twice.`);
  }
  const definition = { kind, template, example };
  definitions.set(kind, definition);
  return definition;
}

/** Every kind of mail that the loaded modules define. */
export function mailDefinitions(): MailDefinition<object>[] {
  return [...definitions.values()];
}
