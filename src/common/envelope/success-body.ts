/** Name of the schema for the common part of every success envelope. */
export const SUCCESS_BODY = 'SuccessBody';

/** The schema behind `#/components/schemas/SuccessBody`. */
export const SUCCESS_BODY_SCHEMA = {
  type: 'object',
  required: ['success', 'data', 'message', 'timestamp'],
  properties: {
    success: { type: 'boolean', enum: [true], description: 'Always true.', example: true },
    data: { description: 'The result.' },
    message: { type: 'string', description: 'Text for display, in the language of the caller.', example: 'Done.' },
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the response was created (UTC).',
      example: '2026-01-31T09:30:00.000Z',
    },
  },
};
