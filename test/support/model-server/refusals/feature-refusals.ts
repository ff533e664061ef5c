import type { ModelFeature } from '../../../../src/integrations/llm/port/message-parts';
import type { ModelRefusal } from '../model-server';
import { anthropicRefusal, refusal } from './refusal';

const IMAGE = { part: ['image_url', 'image'] };
const FILE = { part: ['file', 'document'] };
const TOOLS = { parameter: 'tools' };
const FORM = { parameter: 'response_format' };

/** OpenAI's shape, which most servers use. */
function openAi(when: ModelRefusal['when'], status: number, message: string, more: object = {}): ModelRefusal {
  const error = { message, type: 'invalid_request_error', param: null, code: null, ...more };
  return refusal(when, status, { error });
}

/** Providers' literal answers to requests that their model does not support. */
export const FEATURE_REFUSALS: Record<ModelFeature, Record<string, ModelRefusal>> = {
  images: {
    OpenAI: openAi(IMAGE, 400, 'Invalid content type. image_url is only supported by certain models.', {
      param: 'messages.[0].content.[1].type',
    }),
    DeepSeek: openAi(
      IMAGE,
      400,
      'Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected ' +
        '`text` at line 1 column 120',
      { code: 'invalid_request_error' },
    ),
    Groq: openAi(
      IMAGE,
      400,
      "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
    ),
    'Groq, in short': openAi(IMAGE, 400, 'messages[0].content must be a string', { param: 'messages[0].content' }),
    Ollama: openAi(IMAGE, 400, 'this model does not support image input'),
    'Ollama, an older one': openAi(IMAGE, 500, 'this model is missing data required for image input', {
      type: 'api_error',
    }),
    'llama.cpp': openAi(
      IMAGE,
      500,
      'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      { type: 'server_error', code: 500 },
    ),
    vLLM: refusal(IMAGE, 400, {
      object: 'error',
      message: 'Qwen/Qwen3-8B is not a multimodal model',
      type: 'BadRequestError',
      code: 400,
    }),
    'vLLM without images': refusal(IMAGE, 400, {
      error: {
        message:
          'At most 0 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase this limit.',
        type: 'BadRequestError',
        param: 'image',
        code: 400,
      },
    }),
    OpenRouter: refusal(IMAGE, 404, { error: { message: 'No endpoints found that support image input', code: 404 } }),
    Gemini: refusal(IMAGE, 400, [
      {
        error: {
          code: 400,
          message: 'Image input modality is not enabled for models/gemma-3-1b-it',
          status: 'INVALID_ARGUMENT',
        },
      },
    ]),
    Anthropic: anthropicRefusal(IMAGE, 'messages.0.content.0.image.source.base64.data: Could not process image'),
  },
  files: {
    Azure: openAi(
      FILE,
      400,
      "Invalid Value: 'file'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'audio'.",
      {
        param: 'messages[0].content[1].type',
        code: 'invalid_value',
      },
    ),
    vLLM: refusal(FILE, 400, {
      object: 'error',
      message: 'Unknown part type: file',
      type: 'BadRequestError',
      code: 400,
    }),
    'llama.cpp': openAi(FILE, 400, 'unsupported content[].type'),
    'a gateway': openAi(FILE, 400, "messages.content.type is invalid, allowed values: ['text']"),
    Anthropic: anthropicRefusal(
      FILE,
      'messages.0.content.0.document.source.base64.data: The PDF specified was not valid.',
    ),
  },
  tools: {
    Ollama: openAi(TOOLS, 400, 'registry.ollama.ai/library/gemma3:4b does not support tools', { type: 'api_error' }),
    vLLM: refusal(TOOLS, 400, {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      code: 400,
    }),
    OpenRouter: refusal(TOOLS, 404, {
      error: {
        message:
          'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing',
        code: 404,
      },
    }),
    'OpenRouter, of a choice': refusal(TOOLS, 404, {
      error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 },
    }),
    Groq: openAi(TOOLS, 400, '`tool calling` is not supported with this model', { param: 'tool calling' }),
    Mistral: refusal(TOOLS, 400, {
      object: 'error',
      message: 'Function calling is not enabled for this model',
      type: 'invalid_request_error',
      code: 3051,
    }),
    DeepSeek: openAi(TOOLS, 400, 'Thinking mode does not support this tool_choice', { code: 'invalid_request_error' }),
    'llama.cpp': openAi(TOOLS, 500, 'tools param requires --jinja flag', { type: 'server_error', code: 500 }),
    'llama.cpp, an older one': openAi(TOOLS, 500, 'Unsupported param: tools', { type: 'server_error', code: 500 }),
    'OpenAI, of a schema': openAi(TOOLS, 400, "Invalid schema for function 'f': [] is not of type 'object'.", {
      param: 'tools[0].function.parameters',
      code: 'invalid_function_parameters',
    }),
  },
  response_format: {
    OpenAI: openAi(
      FORM,
      400,
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      {
        param: 'response_format',
      },
    ),
    DeepSeek: openAi(FORM, 400, 'This response_format type is unavailable now', { code: 'invalid_request_error' }),
    Groq: openAi(
      FORM,
      400,
      'This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models',
      {
        param: 'response_format',
      },
    ),
    Gemini: refusal(FORM, 400, [
      {
        error: { code: 400, message: 'JSON mode is not enabled for models/gemma-3-27b-it', status: 'INVALID_ARGUMENT' },
      },
    ]),
    'Anthropic at Bedrock': anthropicRefusal(
      { parameter: 'output_config' },
      'output_config.format: Extra inputs are not permitted',
    ),
  },
};

/** Refusals of earlier calls that are sent back without the model's extra data. */
export const MISSING_PARTS: Record<string, ModelRefusal> = {
  DeepSeek: openAi(
    { lacks: 'reasoning_content' },
    400,
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    {
      code: 'invalid_request_error',
    },
  ),
  'DeepSeek, an older one': openAi(
    { lacks: 'reasoning_content' },
    400,
    'Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
  ),
  Kimi: openAi(
    { lacks: 'reasoning_content' },
    400,
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  ),
  Gemini: refusal({ lacks: 'thought_signature' }, 400, [
    {
      error: {
        code: 400,
        message:
          'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.',
        status: 'INVALID_ARGUMENT',
      },
    },
  ]),
};

/** Refusals of a function parameter without which the model accepts them. */
export const DISPENSABLE_REFUSALS = {
  PARALLEL: openAi(
    { parameter: 'parallel_tool_calls' },
    400,
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    {
      param: 'parallel_tool_calls',
      code: 'unsupported_parameter',
    },
  ),
  EFFORT: openAi(
    { parameter: 'tools', unless: { reasoning_effort: 'none' } },
    400,
    "Function tools with reasoning_effort are not supported for gpt-6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    { param: 'reasoning_effort' },
  ),
  EFFORT_AT_ALL: openAi(
    { parameter: 'reasoning_effort', besides: 'tools' },
    400,
    'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.',
    { param: 'reasoning_effort' },
  ),
  STRICT: openAi({ body: '"strict"' }, 400, "Unknown parameter: 'tools[0].function.strict'.", {
    param: 'tools[0].function.strict',
    code: 'unknown_parameter',
  }),
  STRICT_FASTAPI: refusal({ body: '"strict"' }, 422, {
    detail: [
      {
        type: 'extra_forbidden',
        loc: ['body', 'tools', 0, 'function', 'strict'],
        msg: 'Extra inputs are not permitted',
      },
    ],
  }),
  ANTHROPIC_STRICT: anthropicRefusal({ body: '"strict"' }, 'tools.0.custom.strict: Extra inputs are not permitted'),
} satisfies Record<string, ModelRefusal>;
