const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take ten seconds and more, on one or both engines. The longest are first, and files that use the processor
 * alternate with files that mostly wait: three waiting workers would leave both processors idle.
 */
const slowFiles = [
  // A server lists its tables more slowly when other files have created more databases.
  'schema',
  'lines-migration',
  'migration-cuts',
  'database-away',
  'console-admin-states',
  'replies',
  'console-pages',
  'reply-retries',
  'console-states',
  'reply-instances',
  'unread-answers',
  'auth-send-limits',
  'request-limits',
  'start-database',
  'openai-responses-join',
  'webhook-schedule',
  'feature-package',
  'reply-recovery',
  'console-next-person',
  'auth-codes',
  'console-many-chats',
  'long-pages',
  'auth-code-failures',
  'console-restart',
  'auth-known-clients',
  'closing-replies',
  'refused-bodies',
  'console-network',
  'console-long-reply',
  'openapi-rules',
  'webhook-retention',
  'provider-failures',
];

/**
 * Files that use all processors: hostile clients, and many instances that are killed and started. They are last: if
 * they ran concurrently, a test of two parallel clients would see the service stall.
 */
const floodingFiles = ['attacks', 'budget-recovery'];

/**
 * Jest's own order, but with slow files first even without times from an earlier run. A slow file that starts last
 * would keep one worker busy while the others are idle.
 */
module.exports = class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    const place = ({ path: file }) => {
      const name = path.basename(file).split('.')[0];
      if (floodingFiles.includes(name)) return slowFiles.length + 1;
      const at = slowFiles.indexOf(name);
      return at < 0 ? slowFiles.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
