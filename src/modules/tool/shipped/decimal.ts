import { ToolError } from '../../../common/tools/tool.error';

/** Digits behind the point of a result that has no end, such as 1/3. */
const DIGITS = 30;

/** Longer numbers are nothing that people ask for. Steps before it stay quick. */
const MOST_DIGITS = 2_000;

/** A number as a fraction without loss; the denominator is positive. */
interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/** @returns whether it is the whole result, or cut after 30 digits behind the point @throws ToolError */
export function calculate(expression: string): { result: string; exact: boolean } {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[^\s]/g) ?? [];
  let place = 0;
  const next = (): string | undefined => tokens[place];

  const sum = (): Fraction => {
    let left = product();
    for (let sign = next(); sign === '+' || sign === '-'; sign = next()) {
      place += 1;
      const right = product();
      left = checked(
        left.numerator * right.denominator + (sign === '+' ? 1n : -1n) * right.numerator * left.denominator,
        left.denominator * right.denominator,
      );
    }
    return left;
  };

  const product = (): Fraction => {
    let left = factor();
    for (let sign = next(); sign === '*' || sign === '/'; sign = next()) {
      place += 1;
      const right = factor();
      left =
        sign === '*'
          ? checked(left.numerator * right.numerator, left.denominator * right.denominator)
          : checked(left.numerator * right.denominator, left.denominator * right.numerator);
    }
    return left;
  };

  const factor = (): Fraction => {
    const token = tokens[place++];
    if (token === '-' || token === '+') {
      const { numerator, denominator } = factor();
      return { numerator: token === '-' ? -numerator : numerator, denominator };
    }
    if (token === '(') {
      const inner = sum();
      if (next() !== ')') throw new ToolError('A closing parenthesis is missing.');
      place += 1;
      return inner;
    }
    return numberOf(token);
  };

  const whole = sum();
  if (place < tokens.length) throw new ToolError(`Nobody knows what ${tokens[place]} means here.`);
  return shown(whole);
}

function numberOf(token = 'the end'): Fraction {
  if (!/^\d|^\.\d/.test(token)) throw new ToolError(`A number is missing before ${token}.`);
  const [units = '', decimals = ''] = token.split('.');
  return checked(BigInt(units + decimals), 10n ** BigInt(decimals.length));
}

/** In lowest terms. */
function checked(numerator: bigint, denominator: bigint): Fraction {
  if (denominator === 0n) throw new ToolError('Nothing can be divided by zero.');
  let [one, other] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  while (other > 0n) [one, other] = [other, one % other];
  const divisor = denominator < 0n ? -one : one;
  const fraction = { numerator: numerator / divisor, denominator: denominator / divisor };
  if (Object.values(fraction).some((part) => String(part).length > MOST_DIGITS)) {
    throw new ToolError(`Numbers with more than ${MOST_DIGITS} digits are too long.`);
  }
  return fraction;
}

function shown({ numerator, denominator }: Fraction): { result: string; exact: boolean } {
  const sign = numerator < 0n ? '-' : '';
  const size = numerator < 0n ? -numerator : numerator;
  let rest = size % denominator;
  let digits = '';
  while (rest > 0n && digits.length < decimalsOf(denominator)) {
    rest *= 10n;
    digits += String(rest / denominator);
    rest %= denominator;
  }
  return { result: `${sign}${size / denominator}${digits === '' ? '' : `.${digits}`}`, exact: rest === 0n };
}

/** All decimals of a number that has an end; else so many as are shown. */
function decimalsOf(denominator: bigint): number {
  let rest = denominator;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  return rest === 1n ? MOST_DIGITS * 4 : DIGITS;
}
