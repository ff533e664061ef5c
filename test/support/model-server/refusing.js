'use strict';

/** The first of a script's refusals that concerns this request. */
function refusalOf({ refuses = [] }, body) {
  return refuses.find(({ when }) => concerns(when, body));
}

function concerns({ parameter, above, besides, containing, characters }, body) {
  if (parameter !== undefined) {
    const isSent = body[parameter] !== undefined && (besides === undefined || body[besides] !== undefined);
    return isSent && (above === undefined || body[parameter] > above);
  }
  const texts = [body.system ?? '', ...body.messages.map(({ content }) => content)];
  return containing === undefined
    ? texts.join('').length > characters
    : texts.some((text) => text.includes(containing));
}

module.exports = { refusalOf };
