/** The path prefix of the OpenAI-compatible API, which ends a client's base URL. */
export const OPENAI_PREFIX = 'openai/v1';

/** The path of chat completions after the prefix. */
export const COMPLETIONS = 'chat/completions';

/** The full path of chat completions. */
export const COMPLETIONS_PATH = `/${OPENAI_PREFIX}/${COMPLETIONS}`;

/** The scope that an API key needs. */
export const OPENAI_SCOPE = 'openai';
