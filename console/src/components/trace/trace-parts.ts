import type { ReplyTraceDto } from 'chat-service-client';

/** The phases of a reply. */
export const PART_KINDS = ['waiting', 'refused', 'first_token', 'writing', 'tools'] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** A phase of a reply, in milliseconds since its start. */
export interface TracePart {
  kind: PartKind;
  from: number;
  to: number;
}

/** The phases in order, without gaps. The time between them counts as waiting. */
export function partsOf({ started_at, duration_ms, attempts, tools }: ReplyTraceDto): TracePart[] {
  const start = Date.parse(started_at);
  const since = (instant: string): number => Math.max(0, Date.parse(instant) - start);
  const known = [
    ...attempts.flatMap(({ started_at: at, outcome, first_token_ms: first, duration_ms: took }): TracePart[] => {
      const from = since(at);
      const to = from + took;
      if (outcome === 'failed' && first === null) return [{ kind: 'refused', from, to }];
      const token = first === null ? to : from + first;
      return [
        { kind: 'first_token', from, to: token },
        { kind: 'writing', from: token, to },
      ];
    }),
    ...tools.flatMap(({ started_at: at, duration_ms: took }): TracePart[] =>
      at === null || took === null ? [] : [{ kind: 'tools', from: since(at), to: since(at) + took }],
    ),
  ].sort((one, other) => one.from - other.from);
  const parts: TracePart[] = [];
  let end = 0;
  for (const part of [...known, { kind: 'waiting' as const, from: duration_ms ?? 0, to: duration_ms ?? 0 }]) {
    if (part.from > end) parts.push({ kind: 'waiting', from: end, to: part.from });
    // Tool calls may overlap.
    const from = Math.max(part.from, end);
    if (part.to > from) parts.push({ kind: part.kind, from, to: part.to });
    end = Math.max(end, part.to, part.from);
  }
  return parts;
}

/** The total time of each phase. Phases that did not occur are left out. */
export function timesOf(parts: readonly TracePart[]): [PartKind, number][] {
  return PART_KINDS.map((kind): [PartKind, number] => [
    kind,
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.to - part.from : 0), 0),
  ]).filter(([, time]) => time > 0);
}
