'use strict';

/** Characters of arguments in one event. */
const PIECE = 7;

function piecesOf(text) {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
}

/**
 * How servers differ when they stream a call. Each gets the call and the function that creates a chunk with one delta.
 * `rest` creates the chunks of further arguments.
 */
const SHAPES = {
  /** OpenAI, and most others: id and name once, then the arguments in pieces. */
  pieces: {
    begin: ({ index, id, name }, chunk) => chunk({ index, id, type: 'function', function: { name, arguments: '' } }),
    rest: ({ index }, text, chunk) => chunk({ index, function: { arguments: text } }),
  },
  /** No index: an id starts a call, and pieces without one belong to the last. */
  'no-index': {
    begin: ({ id, name }, chunk) => chunk({ id, type: 'function', function: { name, arguments: '' } }),
    rest: (_call, text, chunk) => chunk({ function: { arguments: text } }),
  },
  /** The same id and name with every piece. */
  repeating: {
    begin: ({ index, id, name }, chunk) => chunk({ index, id, type: 'function', function: { name, arguments: '' } }),
    rest: ({ index, id, name }, text, chunk) =>
      chunk({ index, id, type: 'function', function: { name, arguments: text } }),
  },
  /** Empty texts for unchanged values. */
  'empty-fields': {
    begin: ({ index, id, name }, chunk) => chunk({ index, id, type: 'function', function: { name, arguments: '' } }),
    rest: ({ index }, text, chunk) => chunk({ index, id: '', type: '', function: { name: '', arguments: text } }),
  },
  /** The name in two pieces. */
  'split-name': {
    begin: ({ index, id, name }, chunk) =>
      chunk({ index, id, type: 'function', function: { name: name.slice(0, 2), arguments: '' } }) +
      chunk({ index, function: { name: name.slice(2) } }),
    rest: ({ index }, text, chunk) => chunk({ index, function: { arguments: text } }),
  },
  /** No id. */
  'no-id': {
    begin: ({ index, name }, chunk) => chunk({ index, id: '', function: { name, arguments: '' } }),
    rest: ({ index }, text, chunk) => chunk({ index, function: { arguments: text } }),
  },
};

/** OpenAI's deltas. */
function openAiCalls(choice) {
  let call = { index: -1 };
  let shape = SHAPES.pieces;
  const chunk = (delta) => choice({ tool_calls: [delta] });
  const toolArguments = (text) =>
    piecesOf(text)
      .map((piece) => shape.rest(call, piece, chunk))
      .join('');
  return {
    toolArguments,
    toolCall: ({ id, name, arguments: text = '{}', shape: named = 'pieces' }) => {
      call = { index: call.index + 1, id: id ?? `call_${call.index + 2}`, name };
      if (named === 'whole') {
        return chunk({ index: call.index, id: call.id, type: 'function', function: { name, arguments: text } });
      }
      if (named === 'whole-no-index') {
        return chunk({ id: call.id, type: 'function', function: { name, arguments: text } });
      }
      if (named === 'object') {
        return chunk({ id: call.id, type: 'function', function: { name, arguments: JSON.parse(text) } });
      }
      if (named === 'function_call') {
        const former = (delta) => choice({ function_call: delta });
        shape = { rest: (_call, piece) => former({ arguments: piece }) };
        return former({ name, arguments: '' }) + toolArguments(text);
      }
      shape = SHAPES[named];
      return shape.begin(call, chunk) + toolArguments(text);
    },
  };
}

/** Anthropic's blocks. `whole` has the arguments at the start of the block. */
function anthropicCalls(named) {
  // The text is block 0.
  let index = 0;
  const toolArguments = (text) =>
    piecesOf(text)
      .map((partial_json) =>
        named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
      )
      .join('');
  return {
    toolArguments,
    toolCall: ({ id, name, arguments: text = '{}', shape }) => {
      index++;
      const block = { type: 'tool_use', id: id ?? `toolu_${index}`, name };
      const input = shape === 'whole' ? JSON.parse(text) : {};
      const begin = named({ type: 'content_block_start', index, content_block: { ...block, input } });
      return shape === 'whole' || text === '{}' ? begin : begin + toolArguments(text);
    },
  };
}

module.exports = { anthropicCalls, openAiCalls };
