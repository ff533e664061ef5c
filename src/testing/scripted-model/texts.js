'use strict';

/**
 * The text of a message's content: a text, or a list of parts whose texts are joined. Tool results are parts in
 * Anthropic's format.
 */
function textOf(content) {
  if (typeof content === 'string') {
    return content;
  }
  return Array.isArray(content) ? content.map(({ text, content: inner }) => text ?? textOf(inner)).join('') : '';
}

/** The key for selecting scripts: the text of the last user message that has one, without tool results. */
function keyOf(messages) {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type !== 'tool_result') : content))
    .map(textOf);
  return texts.findLast((text) => text !== '') ?? '';
}

module.exports = { keyOf, textOf };
