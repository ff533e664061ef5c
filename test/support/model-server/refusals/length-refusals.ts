import type { ModelRefusal } from '../model-server';
import { anthropicRefusal, refusal } from './refusal';

/** Each accepts this number of message characters and reports it as its window of 1,000 tokens, if it reports any. */
export const LENGTH_REFUSALS: Record<string, (characters: number) => ModelRefusal> = {
  OpenAI: (characters) =>
    refusal({ characters }, 400, {
      error: {
        message:
          "This model's maximum context length is 1000 tokens. However, your messages resulted in 1400 tokens. Please " +
          'reduce the length of the messages.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  Anthropic: (characters) => anthropicRefusal({ characters }, 'prompt is too long: 1400 tokens > 1000 maximum'),
  vLLM: (characters) =>
    refusal({ characters }, 400, {
      object: 'error',
      message:
        "This model's maximum context length is 1000 tokens. However, you requested 1500 tokens (1400 in the messages, " +
        '100 in the completion). Please reduce the length of the messages or completion.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
  'llama.cpp': (characters) =>
    refusal({ characters }, 400, {
      error: {
        code: 400,
        message: 'request (1400 tokens) exceeds the available context size (1000 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 1400,
        n_ctx: 1000,
      },
    }),
  Groq: (characters) =>
    refusal({ characters }, 400, {
      error: {
        message: 'Please reduce the length of the messages or completion.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  Mistral: (characters) =>
    refusal({ characters }, 400, {
      object: 'error',
      message: 'Prompt contains 1400 tokens and 0 draft tokens, too large for model with 1000 maximum context length',
      type: 'invalid_request_error',
      param: null,
      code: '3051',
    }),
  OpenRouter: (characters) =>
    refusal({ characters }, 400, {
      error: {
        message:
          "This endpoint's maximum context length is 1000 tokens. However, you requested about 1500 tokens (1400 of text " +
          'input, 100 in the output). Please reduce the length of either one, or use the "middle-out" transform to ' +
          'compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: null },
      },
    }),
  Ollama: (characters) =>
    refusal({ characters }, 400, {
      error: {
        message: 'the input length exceeds the context length',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    }),
  Qwen: (characters) =>
    refusal({ characters }, 400, {
      error: {
        message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 1000]',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_parameter_error',
      },
    }),
  xAI: (characters) =>
    refusal({ characters }, 400, {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 1000 but the request contains 1400 tokens.",
    }),
};
