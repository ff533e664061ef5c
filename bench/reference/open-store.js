const { MysqlStore } = require('./mysql-store.js');
const { SqliteStore } = require('./sqlite-store.js');

/** @param {string} address `sqlite:<file>` or `mysql://…` @returns {Promise<Store>} */
async function openStore(address) {
  const file = /^sqlite:(.+)/.exec(address)?.[1];
  return file === undefined ? MysqlStore.open(address) : SqliteStore.open(file);
}

module.exports = { openStore };
