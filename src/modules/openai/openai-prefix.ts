/** Where the routes of OpenAI's API begin: a client's base URL ends so. */
export const OPENAI_PREFIX = 'openai/v1';

/** The path of chat completions below it. */
export const COMPLETIONS = 'chat/completions';

/** The whole path of chat completions. */
export const COMPLETIONS_PATH = `/${OPENAI_PREFIX}/${COMPLETIONS}`;
