// The reference: what a good engineer writes by hand in two days for the busiest routes of the service. It uses plain
// Express 5, handwritten SQL and the same drivers. Each response has the same body and headers as the service's, and
// the same guarantees: tokens and sessions are checked, requests are counted, and acknowledged data is on disk.
// `node server.js <sqlite:file or mysql://…> <port of the model>`; `seed.js` creates the database.
const express = require('express');
const { authenticate, limitRate, protect } = require('./access.js');
const { chatRoutes } = require('./chats.js');
const { replyRoutes } = require('./replies.js');
const { openStore } = require('./open-store.js');
const { userRoutes } = require('./users.js');

async function main() {
  const [address, modelPort] = process.argv.slice(2);
  const store = await openStore(address);
  const agents = new Map((await store.readAgents()).map((agent) => [agent.shown.id, agent]));
  const app = express();
  // The responses are private and never cached, so an ETag would be useless.
  app.disable('etag');
  app.use(protect());
  app.use('/api/v1', authenticate(store), limitRate(100_000_000), express.json());
  app.use(
    '/api/v1',
    userRoutes(store, agents),
    replyRoutes(store, agents, Number(modelPort)),
    chatRoutes(store, agents),
  );
  app.use((error, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = error.status ?? 500;
    if (status === 500) {
      console.error(error);
    }
    response
      .status(status)
      .json({ success: false, error: { message: status === 500 ? 'Internal error' : error.message } });
  });
  const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
  server.keepAliveTimeout = 600_000;
  process.once('SIGTERM', () => process.exit());
}

void main();
