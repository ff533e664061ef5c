import { setImmediate as nextTurn } from 'node:timers/promises';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, validate, ValidateBy, ValidationError } from 'class-validator';
import { FieldRule } from './fields';
import { VALIDATOR_OPTIONS } from './validator-options';

/** After this many faulty objects, the rest of a list is not validated. */
const MOST_FAULTY = 20;

/** Objects that are validated in one turn of the event loop, which takes some milliseconds. */
const TURN = 20;

const RULE = 'faultyObjects';

/** The faulty objects of a list, as errors with their positions. */
const faultyOf = new WeakMap<object, ValidationError[]>();

/**
 * A list of up to `most` objects of a class, validated by the rules of the class. Null and lists are not objects. The
 * objects are validated one by one: the validator's own rule for nested objects keeps all intermediate results until
 * the end, so thousands of objects take three times as long.
 */
export function ObjectList(type: () => new () => object, most: number): PropertyDecorator {
  const isItem = (item: unknown): boolean => item !== null && !Array.isArray(item);
  return applyDecorators(
    IsArray(),
    ArrayMaxSize(most),
    FieldRule('wrong_type', (value) => !Array.isArray(value) || value.every(isItem)),
    ValidateBy({
      name: RULE,
      validator: { validate: (value) => isFaultless(value, most), defaultMessage: () => RULE },
    }),
    Type(type),
    ApiProperty({ maxItems: most }),
  );
}

/** The errors of the objects in a list, if `error` is about such a list. */
export function faultyObjects({ value, constraints }: ValidationError): ValidationError[] {
  const isFaulty = constraints !== undefined && RULE in constraints;
  return isFaulty ? (faultyOf.get(value as object) ?? []) : [];
}

async function isFaultless(list: unknown, most: number): Promise<boolean> {
  const faulty: ValidationError[] = [];
  if (Array.isArray(list) && list.length <= most) {
    faultyOf.set(list, faulty);
    for (let index = 0; index < list.length && faulty.length < MOST_FAULTY; index++) {
      faulty.push(...(await check(list[index], String(index))));
      if (index % TURN === TURN - 1) await nextTurn();
    }
  }
  return faulty.length === 0;
}

/** @returns one error if the object is faulty */
async function check(value: unknown, property: string): Promise<ValidationError[]> {
  const error = Object.assign(new ValidationError(), { property, value });
  if (typeof value !== 'object') {
    return [Object.assign(error, { constraints: { isObject: '' } })];
  }
  // The rule for the whole list rejects null and lists.
  const children = value === null || Array.isArray(value) ? [] : await validate(value, VALIDATOR_OPTIONS);
  return children.length > 0 ? [Object.assign(error, { children })] : [];
}
