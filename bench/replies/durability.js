const Libsql = require('libsql');
const { createConnection } = require('mysql2/promise');
const { LANES, messageRequest, Stage } = require('./stage.js');
const { exchange } = require('../support/client.js');

const KILLS = { SQLite: 20, MariaDB: 5 };
/** Trailers received before the process is killed. At that time, the replies of the lanes are in different states. */
const TRAILERS = 25;
const SCRIPT = { chunks: 20, interval: 1 };
const QUERY = 'SELECT role, status, content FROM chat_messages WHERE id IN (?, ?) ORDER BY id';

/**
 * 8 users send one message after the other. As soon as the 25th trailer arrives, the process is killed with SIGKILL,
 * together with MariaDB. Then the database is read from outside: both messages of each reply with a received trailer
 * must be complete.
 */
module.exports = {
  title: 'Durability',
  async measure(options) {
    const stage = await Stage.open(options);
    try {
      const rows = [];
      for (const target of stage.services) {
        rows.push(await measureService(target));
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
};

async function measureService(target) {
  const { server: service, name } = target;
  let acknowledged = 0;
  let lost = 0;
  for (let kill = 0; kill < KILLS[name]; kill++) {
    await target.prepare(1);
    const trailers = await repliesUntilKill(target);
    await service.mariadb?.kill();
    await service.process.gone;
    await service.mariadb?.start();
    const database = await openDatabase(service);
    for (const { user_message_id, message_id } of trailers) {
      acknowledged++;
      lost += isWhole(await database.read([user_message_id, message_id])) ? 0 : 1;
    }
    await database.close();
    await service.startProcess();
  }
  const figure = `Lost of ${acknowledged} acknowledged replies, ${KILLS[name]} kills (${name})`;
  return { figure, unit: '', service: [lost], limit: 0 };
}

/** @returns {Promise<{ user_message_id: number, message_id: number }[]>} the received trailers */
async function repliesUntilKill({ server: service, people, chatOf }) {
  const trailers = [];
  const lane = async (_, index) => {
    for (;;) {
      let text = '';
      const { status } = await exchange(
        service.agent,
        messageRequest(service, people[index], chatOf(index), SCRIPT),
        (piece) => {
          text += piece;
          const trailer = /__TOKEN_USAGE__(.*)\n$/.exec(text);
          if (trailer) {
            trailers.push(JSON.parse(trailer[1]));
            if (trailers.length === TRAILERS) {
              service.process.child.kill('SIGKILL');
            }
          }
        },
      );
      if (status !== 200) {
        throw new Error(`The service answered ${status}: ${text}`);
      }
    }
  };
  // Each lane stops when the kill cuts its connection.
  await Promise.allSettled(Array.from({ length: LANES }, lane));
  service.process.child.kill('SIGKILL');
  return trailers;
}

/** Opens the database as another process would find it. */
async function openDatabase(service) {
  if (service.mariadb) {
    const connection = await createConnection(service.mariadb.url);
    return { read: async (ids) => (await connection.query(QUERY, ids))[0], close: () => connection.end() };
  }
  const database = new Libsql(service.databaseFile);
  return {
    read: (ids) => Promise.resolve(database.prepare(QUERY).all(ids)),
    close: () => Promise.resolve(database.close()),
  };
}

function isWhole([message, reply]) {
  return (
    message?.role === 'user' &&
    message.content === JSON.stringify(SCRIPT) &&
    reply?.role === 'assistant' &&
    reply.status === 'completed' &&
    reply.content === ' token'.repeat(SCRIPT.chunks)
  );
}
