/** OpenAI's own client, as applications have it: from here, since it is installed in this folder only. */
export { APIError, APIUserAbortError, default as OpenAI } from 'openai';
export { ContentFilterFinishReasonError } from 'openai/error';
export { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
export { z } from 'zod';
