import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';

const label = (most: number, example: string): v.GenericSchema<string | null | undefined, string | null> =>
  described(v.nullish(v.pipe(v.string(), v.maxLength(most)), null), 'Nothing depends on it.', example);

/** Texts by which a caller tells its own users and prompts apart. They are as long as at OpenAI. */
export const labels = {
  user: label(512, 'u-17'),
  safety_identifier: label(64, 'u-17'),
  prompt_cache_key: label(64, 'guide'),
};
