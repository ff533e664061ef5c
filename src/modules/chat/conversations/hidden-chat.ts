/**
 * A hidden conversation holds an exchange of which nothing is to stay: it has the row that every reply needs to be counted,
 * stopped and recovered. It counts as put into the trash at this instant, so no list shows it and nobody can restore it.
 */
export const HIDDEN_AT = new Date(0);
