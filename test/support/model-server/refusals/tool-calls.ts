/** The steps of a stream that ends with a tool call and without text, in the formats of OpenAI and Anthropic. */
export const TOOL_CALL_ONLY = {
  openai: {
    steps: [
      {
        event: {
          choices: [
            {
              index: 0,
              delta: {
                role: 'assistant',
                content: null,
                tool_calls: [
                  { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
                ],
              },
              finish_reason: null,
            },
          ],
        },
      },
    ],
    finish: 'tool_calls',
  },
  anthropic: {
    steps: [
      {
        event: {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
        },
      },
      {
        event: {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '{"city": "Paris"}' },
        },
      },
    ],
    finish: 'tool_use',
  },
};
