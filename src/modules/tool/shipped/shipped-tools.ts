import { Injectable } from '@nestjs/common';
import { description, maxLength, object, optional, pipe, string } from 'valibot';
import { Clock } from '../../../common/clock';
import { AgentTool } from '../../../common/tools/agent-tool.decorator';
import { ToolError } from '../../../common/tools/tool.error';
import { calculate } from './decimal';

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
