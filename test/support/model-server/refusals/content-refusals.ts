import type { ModelRefusal } from '../model-server';
import { anthropicRefusal, refusal } from './refusal';

/** Each refuses one text anywhere in the conversation. */
export const CONTENT_REFUSALS: Record<string, (text: string) => ModelRefusal> = {
  OpenAI: (text) =>
    refusal({ containing: text }, 400, {
      error: {
        message: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_prompt',
      },
    }),
  Azure: (text) =>
    refusal({ containing: text }, 400, {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please " +
          'modify your prompt and retry.',
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { violence: { filtered: true, severity: 'high' } },
        },
      },
    }),
  Anthropic: (text) => anthropicRefusal({ containing: text }, 'Output blocked by content filtering policy'),
  OpenRouter: (text) =>
    refusal({ containing: text }, 403, {
      error: {
        message: 'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "violence".',
        code: 403,
        metadata: {
          reasons: ['violence'],
          flagged_input: text,
          provider_name: 'OpenAI',
          model_slug: 'openai/gpt-4o',
        },
      },
    }),
  DeepSeek: (text) =>
    refusal({ containing: text }, 400, {
      error: {
        message: 'Content Exists Risk',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    }),
  xAI: (text) =>
    refusal({ containing: text }, 403, {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines. Team: t-1, API key ID: k-1, Model: grok-4',
    }),
  Qwen: (text) =>
    refusal({ containing: text }, 400, {
      error: {
        message: 'Input text data may contain inappropriate content.',
        type: 'data_inspection_failed',
        param: null,
        code: 'data_inspection_failed',
      },
      request_id: '4a1f',
    }),
};
