import type { ProviderAnswer } from './provider-answer';

const CODES = [
  'content_filter',
  'content_policy_violation',
  'content_blocked',
  'data_inspection_failed',
  'datainspectionfailed',
  'invalid_prompt',
  'moderation_blocked',
  'responsibleaipolicyviolation',
];

const SENTENCE = new RegExp(
  [
    'content management policy',
    'content filter',
    'content exists risk',
    'inappropriate content',
    'input was flagged',
    'prompt was flagged',
    'violat\\w+ .{0,40}(usage|content|safety) (polic|guideline)',
    'violates? usage (polic|guideline)',
    'rejected .{0,40}safety system',
    'moderation (check|policy|failed)',
  ].join('|'),
  'i',
);

/** Whether a provider refuses the content of the conversation. */
export function isRefusedText({ status, codes, sentence }: ProviderAnswer): boolean {
  const mayRefuse = [400, 403, 422, 451].includes(status);
  return mayRefuse && (codes.some((code) => CODES.includes(code)) || SENTENCE.test(sentence));
}
