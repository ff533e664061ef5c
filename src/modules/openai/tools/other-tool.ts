import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { namedSchema } from '../../../common/validation/schemas/named-schema';
import { typeText } from '../input/item-text';

const KNOWN = ['function', 'custom', 'namespace', 'allowed_tools'];

/** The longest type of a choice. */
const LONGEST_CHOICE = 64;

/** Tools of other kinds: nothing here executes them. */
export const otherTool = v.object({
  type: described(v.pipe(typeText, v.notValues(KNOWN)), 'Ignored by the service.', 'web_search'),
});

/** The same where tools of the service's agents are named too. */
export const otherResponseTool = v.object({
  type: described(v.pipe(typeText, v.notValues([...KNOWN, 'mcp'])), 'Ignored by the service.', 'web_search'),
});

/** What names such a tool. */
export const otherChoice = v.object({
  type: described(
    v.pipe(v.string(), v.maxLength(LONGEST_CHOICE), v.notValues(KNOWN)),
    'Name of a tool that is ignored; refused if the model must call it.',
    'web_search',
  ),
});

/** The same where tools of the service's agents are named too. */
export const otherResponseChoice = v.object({
  type: described(
    v.pipe(v.string(), v.maxLength(LONGEST_CHOICE), v.notValues([...KNOWN, 'mcp'])),
    'Name of a tool that is ignored; refused if the model must call it.',
    'web_search',
  ),
});

export const OTHER_TOOL_SCHEMAS = [
  namedSchema('OpenAiOtherTool', otherTool),
  namedSchema('OpenAiOtherResponseTool', otherResponseTool),
  namedSchema('OpenAiOtherChoice', otherChoice),
  namedSchema('OpenAiOtherResponseChoice', otherResponseChoice),
];
