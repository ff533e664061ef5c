const { execFileSync } = require('node:child_process');
const { cpSync, mkdtempSync } = require('node:fs');
const path = require('node:path');
const { Service } = require('../support/service.js');

/**
 * The processes of the current and an earlier build, on copies of one database. The earlier build has seeded that
 * database.
 */
class Twins {
  /**
   * @param {'SQLite' | 'MariaDB'} engine
   * @param {{ environment?: object, nodeOptions?: string[], seed: (service: Service) => Promise<any> }} comparison
   * @param {{ now: string, earlier: string, copies: string, modelPort: number, node?: string }} options folders of the
   * builds and the copies, and the options of a service
   */
  static async open(engine, { environment, nodeOptions, seed }, { now, earlier, copies, ...options }) {
    const twins = new Twins();
    const shared = { ...options, environment, nodeOptions };
    twins.source = await Service.start(engine, { ...shared, folder: earlier });
    twins.seeded = await seed(twins.source);
    await twins.source.process.end();
    twins.services = {};
    for (const [kind, folder] of Object.entries({ now, earlier })) {
      // Starts once to run the migrations outside of the measured rounds.
      const service = await Service.start(engine, { ...shared, folder, database: await copyOf(twins.source, copies) });
      await service.process.end();
      twins.services[kind] = service;
    }
    return twins;
  }

  async end() {
    await Promise.all(Object.values(this.services).map(({ process }) => process.end()));
  }

  async close() {
    for (const service of [...Object.values(this.services), this.source]) {
      await service.close();
    }
  }
}

/** @returns {Promise<string>} URL of a copy of the database of a stopped service */
async function copyOf({ engine, folder, databaseFile, mariadb }, copies) {
  const copy = mkdtempSync(path.join(copies, 'copy-'));
  if (engine === 'SQLite') {
    cpSync(folder, copy, { recursive: true });
    return `sqlite:${path.join(copy, path.basename(databaseFile))}`;
  }
  const { url } = await mariadb.createDatabase();
  const dump = path.join(copy, 'dump.sql');
  execFileSync('mariadb-dump', [...clientOptions(mariadb.url), `--result-file=${dump}`, databaseOf(mariadb.url)]);
  execFileSync('mariadb', [...clientOptions(url), '--execute', `source ${dump}`, databaseOf(url)]);
  return url;
}

function clientOptions(url) {
  const { hostname, port, username, password } = new URL(url);
  const [user, secret] = [username, password].map(decodeURIComponent);
  return ['--no-defaults', `--host=${hostname}`, `--port=${port}`, `--user=${user}`, `--password=${secret}`];
}

function databaseOf(url) {
  return new URL(url).pathname.slice(1);
}

module.exports = { Twins };
