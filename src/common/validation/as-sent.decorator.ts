import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';

const fieldsOf = new WeakMap<object, string[]>();

/** Hides a value from class-transformer, which removes members such as `constructor` and `__proto__`. */
class Hidden {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get value(): unknown {
    return this.#value;
  }
}

/** Keeps every member that was sent in the field. For values that the service stores and returns, but never reads. */
export const AsSent = (): PropertyDecorator =>
  applyDecorators(
    (target: object, field: string | symbol) => {
      fieldsOf.set(target, [...(fieldsOf.get(target) ?? []), String(field)]);
    },
    Transform(({ obj, key }) => (obj as Record<string, Hidden>)[key]?.value),
  );

/** The body with its `@AsSent()` fields hidden, so that the validation leaves them unchanged. */
export function hideAsSent(body: object, dto: { prototype: object } | undefined): object {
  const hidden = { ...body } as Record<string, unknown>;
  for (const field of (dto && fieldsOf.get(dto.prototype)) ?? []) {
    if (Object.hasOwn(hidden, field)) {
      hidden[field] = new Hidden(hidden[field]);
    }
  }
  return hidden;
}
