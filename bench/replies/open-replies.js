const { setTimeout: delay } = require('node:timers/promises');
const { call } = require('../support/client.js');
const { LANES, messageRequest, readReply, Stage } = require('./stage.js');

const REPLIES = 2_000;
/** One word every two seconds for 40 seconds. All replies are open long before the first one completes. */
const SCRIPT = { chunks: 20, interval: 2_000 };
/** Pause between two requests. 250 per second for 8 seconds is as many as MariaDB stores here without a queue. */
const SEND_MILLISECONDS = 4;
const CREATED_AT_ONCE = 16;
const SETTLE_MILLISECONDS = 3_000;

/** 2,000 slow replies open at once in one process: the memory of each, and whether all of them arrive. */
module.exports = {
  title: 'Memory per open reply',
  async measure(options) {
    const stage = await Stage.open(options);
    try {
      const rows = [];
      for (const { service, reference } of stage.pairs) {
        const { memory } = await measureTarget(reference, await requestsTo(reference));
        rows.push(...(await measureService(service, memory)));
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
};

/** A request for each reply, each in its own conversation. */
async function requestsTo({ server, people }) {
  const chats = await createChats(server, people);
  return (index) => messageRequest(server, people[index % LANES], chats[index], SCRIPT);
}

function createChats(server, people) {
  return inParallel(REPLIES, (index) => server.createChat(people[index % LANES]));
}

async function measureService(target, referenceMemory) {
  const { server: service, people, name } = target;
  const rows = [];
  for (const state of ['fresh', 'warm']) {
    const chats = await createChats(service, people);
    // After the preparation, a new process starts, so that the memory is that of the replies alone.
    await service.process.end();
    await service.startProcess();
    if (state === 'warm') {
      await target.warmUp();
    }
    const requestFor = (index) => messageRequest(service, people[index % LANES], chats[index], SCRIPT);
    const { memory, heap, complete } = await measureTarget(target, requestFor, service);
    const stored = await inParallel(REPLIES, (index) => isStored(service, people[index % LANES], chats[index]));
    const place = `${state} process, ${name}`;
    rows.push(
      {
        figure: `Memory per open reply (${place})`,
        unit: 'KiB',
        service: [memory],
        reference: [referenceMemory],
        limit: 48,
      },
      { figure: `of that in the heap (${place})`, unit: 'KiB', service: [heap] },
      { figure: `Complete of ${REPLIES} (${place})`, unit: '', service: [complete], least: REPLIES },
      {
        figure: `Stored whole of ${REPLIES} (${place})`,
        unit: '',
        service: [stored.filter(Boolean).length],
        least: REPLIES,
      },
    );
  }
  return rows;
}

/** The memory per reply above the idle process, in KiB. */
async function measureTarget(target, requestFor, service) {
  await delay(SETTLE_MILLISECONDS);
  const idle = target.process.residentKibibytes();
  const idleHeap = (await service?.metrics())?.nodejs_heap_size_used_bytes;
  let begun = 0;
  let complete = 0;
  const replies = Array.from({ length: REPLIES }, async (_, index) => {
    let isBegun = false;
    await delay(index * SEND_MILLISECONDS);
    const { text } = await readReply(target, requestFor(index), () => {
      begun += isBegun ? 0 : 1;
      isBegun = true;
    });
    complete += text.split(' token').length - 1 === SCRIPT.chunks ? 1 : 0;
  });
  const all = Promise.allSettled(replies);
  for (const deadline = Date.now() + 30_000; begun < REPLIES && Date.now() < deadline;) {
    await delay(50);
  }
  await delay(SETTLE_MILLISECONDS);
  const memory = (target.process.residentKibibytes() - idle) / REPLIES;
  const heap = service && ((await service.metrics()).nodejs_heap_size_used_bytes - idleHeap) / 1_024 / REPLIES;
  const failed = (await all).find(({ status }) => status === 'rejected');
  if (failed) {
    console.error(`${target.name}: ${failed.reason.message}`);
  }
  return { memory, heap, complete };
}

async function isStored(service, { token }, chatId) {
  const path = `/api/v1/chat/${chatId}`;
  const headers = { authorization: `Bearer ${token}` };
  const { messages } = await call(service.agent, { port: service.port, path, headers });
  return messages.length === 2 && messages[1].content === ' token'.repeat(SCRIPT.chunks);
}

async function inParallel(count, task) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, lane));
  return results;
}
