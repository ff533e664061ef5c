'use strict';

/** The text of a message's content: a text, or a list of parts whose texts are joined. Tool results are parts of Anthropic. */
function textOf(content) {
  if (typeof content === 'string') {
    return content;
  }
  return Array.isArray(content) ? content.map(({ text, content: inner }) => text ?? textOf(inner)).join('') : '';
}

/** What scripts are chosen by: the text that the last message of the user with any text has, without results of tools. */
function keyOf(messages) {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type !== 'tool_result') : content))
    .map(textOf);
  return texts.findLast((text) => text !== '') ?? '';
}

module.exports = { keyOf, textOf };
