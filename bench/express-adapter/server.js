// One server of the comparison in its own process: `node server.js plain|fast ADAPTER_FILE`. Sends its port to the
// parent, and replies to each message with its CPU time so far, in microseconds.
require('reflect-metadata');
const { Controller, Get, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { ExpressAdapter } = require('@nestjs/platform-express');

const [kind, adapterFile] = process.argv.slice(2);

class HelloController {
  hello() {
    return { hello: 'world' };
  }
}
Controller()(HelloController);
Get('hello')(HelloController.prototype, 'hello', Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'));

class HelloModule {}
Module({ controllers: [HelloController] })(HelloModule);

function plainAdapter() {
  const adapter = new ExpressAdapter();
  // Disabled here too, so that the prototypes are the only difference.
  adapter.set('etag', false);
  adapter.disable('x-powered-by');
  return adapter;
}

async function main() {
  const { FastExpressAdapter } = require(adapterFile);
  const adapter = kind === 'fast' ? new FastExpressAdapter() : plainAdapter();
  const app = await NestFactory.create(HelloModule, adapter, { logger: false, bodyParser: false });
  await app.listen(0, '127.0.0.1');
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMicroseconds: user + system });
  });
  process.on('disconnect', () => process.exit());
  process.send({ port: app.getHttpServer().address().port });
}

void main();
