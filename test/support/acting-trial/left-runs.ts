import { DataSource } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';
import { connect } from '../../../src/database/connection/database-opening';

/** The running work of an instance when it was killed. */
export interface LeftRuns {
  replies: number;
  /** Running tool calls. */
  calls: number;
}

const OF_REPLIES = "FROM chat_messages m WHERE m.status = 'streaming'";

/**
 * Reads from the database what an instance has left, before another one takes it.
 *
 * @param owner undefined: everything, because there is no other instance
 */
export async function runsLeftBy(databaseUrl: string, owner: string | undefined): Promise<LeftRuns> {
  const settings = connectionSettings(databaseUrl);
  const source = new DataSource(dataSourceOptions(settings, []));
  await connect(source, settings);
  const [of, parameters] = owner === undefined ? [OF_REPLIES, []] : [`${OF_REPLIES} AND m.owner_id = ?`, [owner]];
  const running = `SELECT count(*) AS count FROM tool_calls WHERE state = 'running' AND message_id IN (SELECT m.id ${of})`;
  const counts = [`SELECT count(*) AS count ${of}`, running].map(async (statement) => {
    const [row] = await source.query<{ count: number | string }[]>(statement, parameters);
    return Number(row?.count);
  });
  const [replies = 0, calls = 0] = await Promise.all(counts);
  await source.destroy();
  return { replies, calls };
}
