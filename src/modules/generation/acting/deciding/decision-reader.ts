import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../../common/errors/validation.errors';
import { type RegisteredTool, ToolRegistry } from '../../../tool/tool.api';
import type { ShownAction } from '../shown-action';
import type { ToolCallEntity } from '../tool-call.entity';
import { type DecisionWish, formOf, type ReadDecision, requireFitting } from './decision-rules';

/** Reads decisions before they are taken: whether they fit, and what comes with them. */
@Injectable()
export class DecisionReader {
  constructor(private readonly registry: ToolRegistry) {}

  /** @throws ValidationFailedError for one that does not fit, and for arguments that the tool, or its question, does not take */
  async read(shown: ShownAction, wish: DecisionWish): Promise<ReadDecision> {
    requireFitting(shown, wish);
    const { arguments: given } = wish;
    if (given === null) {
      return { ...wish, answer: null };
    }
    const schema = formOf(shown.action);
    return schema === null
      ? { ...wish, arguments: await this.readArguments(shown.call, given), answer: null }
      : { ...wish, arguments: null, answer: await this.readAnswer(shown.call, schema, given) };
  }

  /** Only what the form has. */
  private async readAnswer(
    call: ToolCallEntity,
    schema: Record<string, unknown>,
    given: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const { served } = await this.toolOf(call);
    const fields = Object.keys(schema.properties ?? {});
    const answer = Object.fromEntries(
      fields.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
    );
    if (served === null || (await served.faultIn(schema, answer)) !== null) {
      throw ValidationFailedError.of('arguments', 'invalid_format');
    }
    return answer;
  }

  private async readArguments(call: ToolCallEntity, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const read = await this.registry.read(await this.toolOf(call), given);
    const [first, ...others] = (read.faults ?? []).map(({ path }) => ({
      field: path === '' ? 'arguments' : `arguments.${path}`,
      reason: 'invalid_format',
    }));
    if (first !== undefined || !('input' in read)) {
      throw new ValidationFailedError([first ?? { field: 'arguments', reason: 'invalid_format' }, ...others]);
    }
    return read.input as Record<string, unknown>;
  }

  private async toolOf(call: ToolCallEntity): Promise<RegisteredTool> {
    const tool = await this.registry.find(call.name, call.userId);
    if (tool === undefined || (tool.served?.pin ?? null) !== call.pin) {
      throw ValidationFailedError.of('arguments', 'not_offered');
    }
    return tool;
  }
}
