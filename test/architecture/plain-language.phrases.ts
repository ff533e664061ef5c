/** A phrase that no text of the project uses, and what to write instead. Compared without regard to case. */
export interface UnwantedPhrase {
  phrase: RegExp;
  instead: string;
}

/** Phrases with a legitimate use that a pattern cannot tell apart, such as "ask" and "give", are left to reviewers. */
export const UNWANTED_PHRASES: UnwantedPhrase[] = [
  { phrase: /^(and |but )?who(ever)?\b(?! (can|may|is allowed)\b)[^?]*$/i, instead: 'A user who …, If a user …' },
  { phrase: /\bwhoever\b/i, instead: 'anyone who, the administrator' },
  {
    phrase: /\btold\b|(?<!\b(can|could|cannot|to) )\btells?\b(?!.* apart)/i,
    instead: 'sent, reported, notified, shows, returns',
  },
  { phrase: /\bmend(s|ed|ing)?\b|\bputs? right\b/i, instead: 'fix, fixed' },
  { phrase: /\banew\b|\bonce more\b/i, instead: 'again, resets, restarts' },
  { phrase: /\bbeside\b/i, instead: 'next to, in addition to, concurrently with' },
  { phrase: /\breckon(s|ed|ing)?\b/i, instead: 'calculate' },
  { phrase: /\b(a word of|without (a|the) word)\b/i, instead: 'approval, without approval' },
  { phrase: /\b(nobody|somebody|everybody)\b/i, instead: 'no instance, another client, all users' },
  { phrase: /\bthereof\b|\bnothing of (it|them)\b/i, instead: 'name the thing' },
  {
    phrase: /\bstands? (in|on|there|here|at|below|above|under|before|behind)\b|\bstood\b/i,
    instead: 'is in, is listed in',
  },
  { phrase: /\bmeanwhile\b|\bin the meantime\b/i, instead: 'while …, before …' },
  {
    phrase: /\bask(s|ed|ing)? (a|an|the|its|each|every|any) (model|database|provider|server|store|service|instance)\b/i,
    instead: 'call, query, request',
  },
  {
    phrase: /\b(give|gives|given|gave|giving) (it |them )?back\b|\bgives? way\b/i,
    instead: 'return, release, yields to',
  },
  { phrase: /\b(houses?|doors?|tales?|story|stories)\b/i, instead: 'project, folder, API, flow' },
  { phrase: /\bservers of (tools|others)\b/i, instead: 'MCP servers, third-party servers' },
  { phrase: /\bprograms for openai\b/i, instead: 'OpenAI-compatible clients' },
  { phrase: /\bheld by (a |the )?tests?\b/i, instead: 'covered, enforced (by a test)' },
  { phrase: /\bas (it|they) (stands?|comes?)\b/i, instead: 'current, default' },
  { phrase: /\bto begin with\b|\bat the beginning of which\b/i, instead: 'first' },
  { phrase: /\b(goes|go|went|going) on\b/i, instead: 'continue, continues' },
  { phrase: /(^|[.:;] )empty: /i, instead: 'Leave blank to …' },
];
