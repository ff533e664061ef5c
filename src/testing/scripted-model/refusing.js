'use strict';
const { textOf } = require('./texts.js');

/** The first of a script's refusals that matches this request. */
function refusalOf({ refuses = [] }, body) {
  return refuses.find(({ when }) => concerns(when, body));
}

function concerns({ parameter, above, besides, unless = {}, part, body: text, lacks, containing, characters }, body) {
  if (parameter !== undefined) {
    const isSent = body[parameter] !== undefined && (besides === undefined || body[besides] !== undefined);
    const isMet = Object.keys(unless).some((name) => body[name] === unless[name]);
    return isSent && !isMet && (above === undefined || body[parameter] > above);
  }
  if (lacks !== undefined) {
    return !JSON.stringify(body).includes(lacks);
  }
  if (text !== undefined) {
    return JSON.stringify(body).includes(text);
  }
  if (part !== undefined) {
    return body.messages.some(
      ({ content }) => Array.isArray(content) && content.some(({ type }) => part.includes(type)),
    );
  }
  const texts = [textOf(body.system), ...body.messages.map(({ content }) => textOf(content))];
  return containing === undefined
    ? texts.join('').length > characters
    : texts.some((text) => text.includes(containing));
}

module.exports = { refusalOf };
