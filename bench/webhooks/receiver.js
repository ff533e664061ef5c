const { createServer } = require('node:http');

/** A receiver that answers at once; tells its parent its port, and on request how much has come. */
let received = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received++;
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ received }));
process.on('disconnect', () => process.exit());
