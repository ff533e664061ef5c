import { anthropicRefusal, refusal } from './refusal';

/** Refuses a parameter like OpenAI's reasoning models, which use another name for `max_tokens`. */
export const OPENAI_MAX_TOKENS = refusal({ parameter: 'max_tokens' }, 400, {
  error: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: 'invalid_request_error',
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
});

export const OPENAI_TEMPERATURE = refusal({ parameter: 'temperature' }, 400, {
  error: {
    message:
      "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    type: 'invalid_request_error',
    param: 'temperature',
    code: 'unsupported_value',
  },
});

export const OPENAI_TOP_P = refusal({ parameter: 'top_p' }, 400, {
  error: {
    message: "Unsupported parameter: 'top_p' is not supported with this model.",
    type: 'invalid_request_error',
    param: 'top_p',
    code: 'unsupported_parameter',
  },
});

export const AZURE_STREAM_OPTIONS = refusal({ parameter: 'stream_options' }, 400, {
  error: {
    message: 'Unrecognized request argument supplied: stream_options',
    type: 'invalid_request_error',
    param: null,
    code: null,
  },
});

export const AZURE_PENALTY = refusal({ parameter: 'presence_penalty' }, 400, {
  error: {
    message: "Unsupported parameter: 'presence_penalty' is not supported with this model.",
    type: 'invalid_request_error',
    param: 'presence_penalty',
    code: 'unsupported_parameter',
  },
});

export const ANTHROPIC_TEMPERATURE = anthropicRefusal(
  { parameter: 'temperature' },
  '`temperature` is deprecated for this model.',
);

export const ANTHROPIC_BOTH = anthropicRefusal(
  { parameter: 'top_p', besides: 'temperature' },
  '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
);

export const ANTHROPIC_MAX_TOKENS = anthropicRefusal(
  { parameter: 'max_tokens', above: 64_000 },
  'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929',
);

export const OLLAMA_THINKING = refusal({ parameter: 'reasoning_effort' }, 400, {
  error: { message: '"llama3.2" does not support thinking', type: 'invalid_request_error', param: null, code: null },
});

export const VLLM_MAX_TOKENS = refusal({ parameter: 'max_tokens', above: 4_000 }, 400, {
  error: {
    message:
      "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 4096 tokens " +
      'and your request has 96 input tokens (9000 > 4096 - 96). (parameter=max_tokens, value=9000)',
    type: 'BadRequestError',
    param: 'max_tokens',
    code: 400,
  },
});

export const GROQ_PENALTY = refusal({ parameter: 'frequency_penalty' }, 400, {
  error: { message: "property 'frequency_penalty' is unsupported", type: 'invalid_request_error' },
});

export const OPENROUTER_TOP_K = refusal({ parameter: 'top_k' }, 400, {
  error: {
    message: 'Provider returned error',
    code: 400,
    metadata: {
      raw: JSON.stringify({
        error: { message: 'Unknown parameter: top_k.', type: 'invalid_request_error', param: 'top_k', code: null },
      }),
      provider_name: 'OpenAI',
    },
  },
  user_id: 'user_2x',
});

/** Accepts only `max_tokens`, and refuses everything outside its schema. */
export const MISTRAL_MAX_COMPLETION_TOKENS = refusal({ parameter: 'max_completion_tokens' }, 422, {
  object: 'error',
  message: {
    detail: [
      {
        type: 'extra_forbidden',
        loc: ['body', 'max_completion_tokens'],
        msg: 'Extra inputs are not permitted',
        input: 64,
      },
    ],
  },
  type: 'invalid_request_error',
  param: null,
  code: null,
});

export const XAI_PENALTY = refusal({ parameter: 'presence_penalty' }, 400, {
  code: 'Client specified an invalid argument',
  error: 'Argument not supported on this model: presencePenalty',
});
