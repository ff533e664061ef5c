import { DataSource } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';
import { connect } from '../../../src/database/connection/open-data-source';

/** What an instance had under way when it died. */
export interface LeftRuns {
  replies: number;
  /** Calls of tools that were being made. */
  calls: number;
}

const OF_REPLIES = "FROM chat_messages m WHERE m.status = 'streaming'";

/**
 * Reads from the database itself what an instance has left. Nothing has taken it yet.
 *
 * @param owner undefined: all of it, as there is no other instance
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
