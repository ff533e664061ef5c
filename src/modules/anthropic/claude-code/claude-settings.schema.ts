import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { anyObject } from '../../../common/validation/schemas/dictionary';

const MOST_POLICIES = 100;
const MOST_GROUPS = 100;

const groupId = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Any JSON object. Without this, an array would count as an object without members. */
const settingsObject = {
  ...anyObject,
  '~run': (dataset: Parameters<(typeof anyObject)['~run']>[0], config: Parameters<(typeof anyObject)['~run']>[1]) =>
    anyObject['~run'](Array.isArray(dataset.value) ? { value: null } : dataset, config),
} as typeof anyObject;

/** The managed settings of the programs of some users. */
const policy = v.object({
  groups: described(
    v.nullish(v.pipe(v.array(groupId), v.minLength(1), v.maxLength(MOST_GROUPS)), null),
    'The groups whose members get the settings. Absent: all users.',
    [3],
  ),
  settings: described(
    settingsObject,
    'The managed settings of Claude Code, which the service does not check further.',
    { permissions: { deny: ['WebFetch'] } },
  ),
});

/** The body of PUT /admin/claude_settings. */
export const claudeSettingsRequest = v.object({
  policies: described(
    v.pipe(v.array(policy), v.maxLength(MOST_POLICIES)),
    'The policies. A user gets the first one that names one of their groups, or no groups.',
  ),
  confirm_commands: described(
    v.nullish(v.boolean()),
    'Must be true if the settings of a policy can run commands on the computers of users.',
    true,
  ),
});

export type ClaudeSettingsBody = v.InferOutput<typeof claudeSettingsRequest>;

export type ClaudePolicy = ClaudeSettingsBody['policies'][number];
