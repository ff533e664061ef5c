import type { MailKind } from '../../common/features/feature-facts';

/** A kind of mail, with the type of its values. */
export interface MailDefinition<Values extends object> extends MailKind {
  readonly example: Values;
}

/**
 * Defines a kind of mail in the module that sends it, which names it in `@Feature({ mails })`.
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
  return { kind, template, example };
}
