/** Where the routes of OpenAI's API begin: a client's base URL ends so. */
export const OPENAI_PREFIX = 'openai/v1';

/** The path of chat completions below it. */
export const COMPLETIONS = 'chat/completions';

/** The whole path of chat completions. */
export const COMPLETIONS_PATH = `/${OPENAI_PREFIX}/${COMPLETIONS}`;

/** Largest body with files, in bytes: 20 MiB in base64, and the texts around them. */
export const OPENAI_BODY = 28 * 1_048_576;
