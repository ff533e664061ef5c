const path = require('node:path');
const { exchange, keptConnections } = require('../support/client.js');
const { OwnProcess } = require('../support/own-process.js');
const { Reference } = require('../support/reference.js');
const { Service } = require('../support/service.js');

const LANES = 8;

/** Exchanges per conversation, so that the history sent to the model stays short. */
const REPLIES_PER_CHAT = 10;

/** Warm-up replies of each lane, for the compiler and the caches. */
const WARM_UP_REPLIES = 200;

/**
 * A source of replies: the model itself, the service, or the reference. All have the same interface.
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {OwnProcess} process
 * @property {http.Agent} agent
 * @property {(repliesPerLane: number) => Promise<void>} prepare prepares a round, outside of the measured time
 * @property {(lane: number, script: object, reply: number) => object} requestFor
 */

/** The model, and a running service and reference on each database. Both have one user per lane. */
class Stage {
  /** @param {{ folder: string, engines: string[], profile?: string, node?: string, environment?: object }} options */
  static async open(options) {
    const stage = new Stage();
    const model = await OwnProcess.start([path.join(__dirname, 'upstream.js')]);
    stage.modelPort = model.port;
    stage.model = modelTarget(model);
    /** @type {{ service: Target, reference: Target }[]} */
    stage.pairs = [];
    for (const engine of options.engines) {
      stage.pairs.push(await openPair(engine, { ...options, modelPort: model.port }));
    }
    for (const target of stage.targets) {
      await warmUp(target);
    }
    return stage;
  }

  /** @returns {Target[]} in the order of each round */
  get targets() {
    return [this.model, ...this.pairs.flatMap(({ reference, service }) => [reference, service])];
  }

  /** @returns {Target[]} */
  get services() {
    return this.pairs.map(({ service }) => service);
  }

  async close() {
    for (const { reference, service } of this.pairs) {
      await reference.server.close();
      await service.server.close();
    }
    this.model.agent.destroy();
    await this.model.process.end();
  }
}

function modelTarget({ process, port }) {
  return {
    name: 'model',
    process,
    agent: keptConnections(),
    prepare: () => Promise.resolve(),
    requestFor: (_lane, script) => ({
      port,
      method: 'POST',
      path: '/v1/chat/completions',
      body: { model: 'bench', messages: [{ role: 'user', content: JSON.stringify(script) }], stream: true },
    }),
  };
}

async function openPair(engine, options) {
  const service = await Service.start(engine, options);
  const people = await registerReaders(service);
  const reference = await Reference.start(service, people, options);
  return {
    service: serverTarget(engine, service, people),
    reference: serverTarget(
      `reference, ${engine}`,
      reference,
      people.map((person) => reference.personOf(person)),
    ),
  };
}

/** One user for each lane. */
function registerReaders(service) {
  return Promise.all(Array.from({ length: LANES }, (_, lane) => service.register(`reader${lane}`)));
}

function serverTarget(name, server, people) {
  let chats = [];
  const chatOf = (lane, reply = 0) => chats[Math.floor(reply / REPLIES_PER_CHAT)][lane];
  return {
    name,
    server,
    people,
    agent: server.agent,
    get process() {
      return server.process;
    },
    prepare: async (repliesPerLane) => {
      chats = [];
      for (let reply = 0; reply < repliesPerLane; reply += REPLIES_PER_CHAT) {
        chats.push(await Promise.all(people.map((person) => server.createChat(person))));
      }
    },
    chatOf,
    requestFor: (lane, script, reply) => messageRequest(server, people[lane], chatOf(lane, reply), script),
    warmUp() {
      return warmUp(this);
    },
  };
}

async function warmUp(target) {
  await target.prepare(WARM_UP_REPLIES);
  const lane = async (_, index) => {
    for (let reply = 0; reply < WARM_UP_REPLIES; reply++) {
      await readReply(target, target.requestFor(index, { chunks: 20, separate: true }, reply));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** The request for a streamed reply. */
function messageRequest(server, { token }, chatId, script) {
  return {
    port: server.port,
    method: 'POST',
    path: '/api/v1/chat/message?stream=true',
    headers: { authorization: `Bearer ${token}` },
    body: { chat_id: chatId, content: JSON.stringify(script) },
  };
}

/** Reads one reply. @throws Error unless it is complete */
async function readReply(target, request, onText) {
  let text = '';
  const { status, sentAt } = await exchange(target.agent, request, (piece, at) => {
    text += piece;
    onText?.(piece, at);
  });
  const isComplete = target.server ? /"status":"completed"|\[DONE\]/.test(text) : text !== '';
  if (status !== 200 || !isComplete) {
    throw new Error(`${target.name} answered ${status}: ${text.slice(-500)}`);
  }
  return { text, sentAt };
}

module.exports = { LANES, messageRequest, readReply, registerReaders, serverTarget, Stage };
