/** What a model needs of a parameter that it refuses as it was sent; parameters have their names on the wire. */
export type ParameterAdjustment =
  /** Left out: always, only where `besides` is sent as well, or only with this `value`. */
  | { leaveOut: true; besides?: string; value?: string | number }
  | { rename: string }
  /** Larger numbers are lowered to this one. */
  | { atMost: number };

export type ParameterAdjustments = Readonly<Record<string, ParameterAdjustment>>;

/** A parameter that a provider has refused, and what to do about it. */
export interface RefusedParameter {
  parameter: string;
  adjustment: ParameterAdjustment;
  /** False for what holds for this one prompt, such as the room that it leaves for the reply. */
  isLasting: boolean;
}

/** The body of a request as its model takes it. Names change first, so that limits meet the names that are sent. */
export function adjustBody(
  body: Record<string, unknown>,
  adjustments: ParameterAdjustments | undefined,
): Record<string, unknown> {
  const adjusted = { ...body };
  const entries = Object.entries(adjustments ?? {}).sort(
    ([, a], [, b]) => Number('rename' in b) - Number('rename' in a),
  );
  for (const [parameter, adjustment] of entries) {
    if (adjusted[parameter] !== undefined) {
      adjustParameter(adjusted, parameter, adjustment);
    }
  }
  return adjusted;
}

function adjustParameter(body: Record<string, unknown>, parameter: string, adjustment: ParameterAdjustment): void {
  const value = body[parameter];
  if ('atMost' in adjustment) {
    body[parameter] = typeof value === 'number' ? Math.min(value, adjustment.atMost) : value;
    return;
  }
  if ('rename' in adjustment) {
    body[adjustment.rename] ??= value;
    delete body[parameter];
    return;
  }
  const { besides, value: refused } = adjustment;
  if ((besides === undefined || body[besides] !== undefined) && (refused === undefined || refused === value)) {
    delete body[parameter];
  }
}
