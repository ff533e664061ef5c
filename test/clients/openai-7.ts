/** The next major version of OpenAI's client. */
export { default as OpenAI } from 'openai-7';
