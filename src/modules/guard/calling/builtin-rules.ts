import { isIBAN } from 'class-validator';
import type { GuardSpan } from '../checking/guard-check';
import type { NamedRule } from '../guards/guard.entity';

/* Each expression takes linear time: it starts only where its own characters do not precede it, and is limited. */

const LOCAL = "[\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-]";
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
const EMAIL = new RegExp(`(?<!${LOCAL})${LOCAL}{1,64}@${LABEL}(?:\\.${LABEL}){1,8}`, 'gu');

/** Digits without anything between them. A number may have several groups, with single blanks or hyphens between. */
const DIGITS = /\d+/g;
const FEWEST_CARD_DIGITS = 13;
const MOST_CARD_DIGITS = 19;

const IBAN_START = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}/gu;
const IBAN_CHARACTERS = /[A-Za-z0-9](?: ?[A-Za-z0-9])*/y;
const SHORTEST_IBAN = 15;
const LONGEST_IBAN = 34;

/** What a rule finds in a text. */
export function findByRule(rule: NamedRule, text: string): GuardSpan[] {
  switch (rule) {
    case 'email':
      return matches(text, EMAIL, 'EMAIL');
    case 'credit_card':
      return findCards(text);
    case 'iban':
      return findIbans(text);
  }
}

function matches(text: string, pattern: RegExp, type: string): GuardSpan[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length, type }));
}

/** Other groups of digits may precede or follow a number, such as an expiry date, but no group is cut. */
function findCards(text: string): GuardSpan[] {
  const groups = matches(text, DIGITS, 'CREDIT_CARD');
  const found: GuardSpan[] = [];
  for (const [index, { start }] of groups.entries()) {
    const end = start < (found.at(-1)?.end ?? 0) ? null : endOfCard(text, groups, index);
    found.push(...(end === null ? [] : [{ start, end, type: 'CREDIT_CARD' }]));
  }
  return found;
}

/** The end of the longest card number that starts with this group of digits. Null: there is none. */
function endOfCard(text: string, groups: readonly GuardSpan[], first: number): number | null {
  let [digits, end] = ['', null as number | null];
  for (let index = first; index < groups.length; index++) {
    const group = groups[index] as GuardSpan;
    const gap = index === first ? '' : text.slice(groups[index - 1]?.end, group.start);
    digits += text.slice(group.start, group.end);
    if (!/^[ -]?$/.test(gap) || digits.length > MOST_CARD_DIGITS) {
      break;
    }
    end = digits.length >= FEWEST_CARD_DIGITS && hasCheckDigit(digits) ? group.end : end;
  }
  return end;
}

/** The checksum of Luhn (ISO/IEC 7812-1). */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function findIbans(text: string): GuardSpan[] {
  const found: GuardSpan[] = [];
  for (const { index: start } of text.matchAll(IBAN_START)) {
    if (start >= (found.at(-1)?.end ?? 0)) {
      const end = endOfIban(text, start);
      found.push(...(end === null ? [] : [{ start, end, type: 'IBAN' }]));
    }
  }
  return found;
}

/** The end of the account number that starts here. Words may follow it, so each length is tried. Null: there is none. */
function endOfIban(text: string, start: number): number | null {
  const written = text.slice(start, start + 2 * LONGEST_IBAN);
  IBAN_CHARACTERS.lastIndex = 0;
  const characters = IBAN_CHARACTERS.exec(written)?.[0] ?? '';
  let [count, end] = [0, 0];
  for (const character of characters) {
    end++;
    count += character === ' ' ? 0 : 1;
    const isWholeWord = !/[\p{L}\p{N}]/u.test(text.charAt(start + end));
    if (character !== ' ' && count >= SHORTEST_IBAN && count <= LONGEST_IBAN && isWholeWord) {
      if (isIBAN(characters.slice(0, end))) {
        return start + end;
      }
    }
  }
  return null;
}
