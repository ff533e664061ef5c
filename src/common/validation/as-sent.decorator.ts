import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';

const fieldsOf = new WeakMap<object, string[]>();

/** Hides a value from the making of classes, which leaves out members such as `constructor` and `__proto__`. */
class Hidden {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get value(): unknown {
    return this.#value;
  }
}

/** The field of a body is taken with every member that was sent. For what is stored and given back, and never read. */
export const AsSent = (): PropertyDecorator =>
  applyDecorators(
    (target: object, field: string | symbol) => {
      fieldsOf.set(target, [...(fieldsOf.get(target) ?? []), String(field)]);
    },
    Transform(({ obj, key }) => (obj as Record<string, Hidden>)[key]?.value),
  );

/** The body of a class with its fields of `@AsSent()` hidden, for the validation to find them as they were. */
export function hideAsSent(body: object, dto: { prototype: object } | undefined): object {
  const hidden = { ...body } as Record<string, unknown>;
  for (const field of (dto && fieldsOf.get(dto.prototype)) ?? []) {
    if (Object.hasOwn(hidden, field)) {
      hidden[field] = new Hidden(hidden[field]);
    }
  }
  return hidden;
}
