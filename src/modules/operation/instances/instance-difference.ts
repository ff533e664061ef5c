import type { InstanceDto } from './instance.dto';

/** How the serving instances differ. */
export interface Difference {
  /** Since when two that differ have been running. */
  since: Date;
  /** Number of different combinations of version and settings. */
  count: number;
}

type Compared = Pick<InstanceDto, 'state' | 'version' | 'config_hash' | 'started_at'>;

/** Null if all serving instances have the same version and settings. */
export function findDifference(instances: readonly Compared[]): Difference | null {
  const serving = instances
    .filter(({ state }) => state === 'serving')
    .map(({ version, config_hash, started_at }) => ({
      kind: JSON.stringify([version, config_hash]),
      // Without a report, it is of an earlier version, which ran before those of this one.
      startedAt: started_at === null ? 0 : Date.parse(started_at),
    }))
    .sort((one, other) => one.startedAt - other.startedAt);
  const second = serving.find(({ kind }) => kind !== serving[0]?.kind);
  return second === undefined
    ? null
    : { since: new Date(second.startedAt), count: new Set(serving.map(({ kind }) => kind)).size };
}
