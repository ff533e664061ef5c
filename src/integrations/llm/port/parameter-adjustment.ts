/** The change that a model needs for a parameter that it refused. Parameters have their names on the wire. */
export type ParameterAdjustment =
  /** Omit it: always, only together with `besides`, or only with this `value`. */
  | { leaveOut: true; besides?: string; value?: string | number }
  | { rename: string }
  /** Send a member of messages that is usually omitted. The adapter knows its place. */
  | { include: true }
  /** Send this value together with `besides`, whatever the request specified. */
  | { set: string; besides: string }
  /** Reduce larger numbers to this one. */
  | { atMost: number };

export type ParameterAdjustments = Readonly<Record<string, ParameterAdjustment>>;

/** A parameter that a provider has refused, and the change that it needs. */
export interface RefusedParameter {
  parameter: string;
  adjustment: ParameterAdjustment;
  /** False if the change applies only to this prompt, such as the room that it leaves for the reply. */
  isLasting: boolean;
}

/**
 * The body of a request in the form that its model accepts. Names change first, so that limits apply to the new names.
 */
export function adjustBody(
  body: Record<string, unknown>,
  adjustments: ParameterAdjustments | undefined,
): Record<string, unknown> {
  const adjusted = { ...body };
  const entries = Object.entries(adjustments ?? {}).sort(
    ([, a], [, b]) => Number('rename' in b) - Number('rename' in a),
  );
  for (const [parameter, adjustment] of entries) {
    if ('set' in adjustment) {
      setParameter(adjusted, parameter, adjustment);
    } else if (!('include' in adjustment) && adjusted[parameter] !== undefined) {
      adjustParameter(adjusted, parameter, adjustment);
    }
  }
  return adjusted;
}

function setParameter(
  body: Record<string, unknown>,
  parameter: string,
  { set, besides }: Extract<ParameterAdjustment, { set: string }>,
): void {
  if (body[besides] !== undefined) {
    body[parameter] = set;
  }
}

function adjustParameter(
  body: Record<string, unknown>,
  parameter: string,
  adjustment: Exclude<ParameterAdjustment, { set: string } | { include: true }>,
): void {
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
