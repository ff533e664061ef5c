import { Injectable } from '@nestjs/common';
import { description, maxLength, object, optional, pipe, string } from 'valibot';
import { Clock } from '../../../common/clock';
import { AgentTool } from '../../../common/tools/agent-tool.decorator';
import { ToolError } from '../../../common/tools/tool.error';

const TIME_INPUT = object({
  time_zone: optional(
    pipe(string(), maxLength(64), description('IANA time zone, such as Europe/Lisbon. Default: UTC.')),
    'UTC',
  ),
});

const CALCULATION = object({
  expression: pipe(
    string(),
    maxLength(1_000),
    description('Decimal numbers with a decimal point, + - * / and parentheses, such as (0.1 + 0.2) * 3.'),
  ),
});

/** Tools of every installation. They need no network. */
@Injectable()
export class ShippedTools {
  constructor(private readonly clock: Clock) {}

  @AgentTool({
    name: 'current_time',
    description: 'Returns the current date, time and day of the week in a time zone.',
    input: TIME_INPUT,
    readOnly: true,
    idempotent: true,
  })
  currentTime({ time_zone: timeZone }: { time_zone: string }): object {
    const now = this.clock.now();
    try {
      const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
      return { time_zone: timeZone, local: format.format(now), utc: now.toISOString() };
    } catch {
      throw new ToolError(`There is no time zone ${timeZone}. Use a name of IANA, such as Europe/Lisbon.`);
    }
  }

  @AgentTool({
    name: 'calculate',
    description: 'Calculates exactly with decimal numbers. Use it for every calculation whose result matters.',
    input: CALCULATION,
    readOnly: true,
    idempotent: true,
  })
  calculate({ expression }: { expression: string }): object {
    return calculate(expression);
  }
}

/** Decimals of a result without a finite decimal form, such as 1/3. */
const DIGITS = 30;

/** Maximum digits of a number. It keeps each step fast. */
const MOST_DIGITS = 2_000;

/** An exact number as a fraction. The denominator is positive. */
interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/** @returns the result; `exact` is false when it is truncated after 30 decimals @throws ToolError */
function calculate(expression: string): { result: string; exact: boolean } {
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
  if (place < tokens.length) throw misplaced(tokens[place]!);
  return shown(whole);
}

function misplaced(token: string): ToolError {
  return new ToolError(`The sign "${token}" is not allowed here. Use only decimal numbers, + - * / and parentheses.`);
}

function numberOf(token = 'the end'): Fraction {
  if (!/^\d|^\.\d/.test(token)) throw new ToolError(`A number is missing before ${token}.`);
  const [units = '', decimals = ''] = token.split('.');
  return checked(BigInt(units + decimals), 10n ** BigInt(decimals.length));
}

/** Reduces the fraction to lowest terms. @throws ToolError for division by zero and for numbers that are too long */
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

/** The number of decimals to show: all of a finite decimal, otherwise the limit. */
function decimalsOf(denominator: bigint): number {
  let rest = denominator;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  return rest === 1n ? MOST_DIGITS * 4 : DIGITS;
}
