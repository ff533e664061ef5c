/** OpenAI's own client, as applications use it. Import it from here, because it is installed in this folder only. */
export { APIError, APIUserAbortError, default as OpenAI, toFile } from 'openai';
export { ContentFilterFinishReasonError } from 'openai/error';
export { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
export { z } from 'zod';
