const { createServer } = require('node:http');

/**
 * A receiver that responds at once. It sends its parent its port and, on request, the number of received deliveries.
 */
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
