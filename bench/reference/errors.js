/** A response other than 2xx, with a message for the caller. */
class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @throws HttpError unless the value is a whole number within the limits */
function wholeNumber(value, least, most) {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new HttpError(422, `Not a whole number from ${least} to ${most}.`);
  }
  return number;
}

/** @throws HttpError unless the value is text of this length */
function text(value, least, most) {
  if (typeof value !== 'string' || value.trim().length < least || value.length > most) {
    throw new HttpError(422, `Not a text of ${least} to ${most} characters.`);
  }
  return value;
}

module.exports = { HttpError, text, wholeNumber };
