/** SQL of the text of a message that is searched: what it says, and the names of its files. */
export const SEARCHED_TEXT = `CASE WHEN file_names IS NULL THEN content ELSE CONCAT(content, '\n', file_names) END`;
