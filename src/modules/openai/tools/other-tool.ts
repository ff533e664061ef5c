import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { namedSchema } from '../../../common/validation/schemas/named-schema';
import { typeText } from '../input/item-text';

const KNOWN = ['function', 'custom', 'namespace', 'allowed_tools'];

/** The maximum length of a choice's type. */
const LONGEST_CHOICE = 64;

/** Unsupported tools, which the service ignores. */
export const otherTool = v.object({
  type: described(v.pipe(typeText, v.notValues(KNOWN)), 'Ignored by the service.', 'web_search'),
});

/** Unsupported tools of `/responses`, which also accepts tools of the agent. */
export const otherResponseTool = v.object({
  type: described(
    v.pipe(typeText, v.notValues([...KNOWN, 'mcp', 'file_search'])),
    'Ignored by the service.',
    'web_search',
  ),
});

/** The choice of an unsupported tool. */
export const otherChoice = v.object({
  type: described(
    v.pipe(v.string(), v.maxLength(LONGEST_CHOICE), v.notValues(KNOWN)),
    'Name of a tool that is ignored; refused if the model must call it.',
    'web_search',
  ),
});

/** The choice of an unsupported tool of `/responses`, which also accepts tools of the agent. */
export const otherResponseChoice = v.object({
  type: described(
    v.pipe(v.string(), v.maxLength(LONGEST_CHOICE), v.notValues([...KNOWN, 'mcp', 'file_search'])),
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
