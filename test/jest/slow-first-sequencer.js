const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take ten seconds and more, on one of the engines or on both. The longest come first, and those that take the processor
 * come by turns with those that wait most of their time: three workers that wait would leave both processors idle.
 */
const slowFiles = [
  // A server answers what tables it has the slower the more databases other files have made.
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
 * Files that take all processors that there are: hostile clients, and many instances that are killed and started. They come
 * last: beside them a test of two clients at once would look as if the service stood still.
 */
const floodingFiles = ['attacks', 'budget-recovery'];

/**
 * Jest's own order, but slow files first also where it has no times of an earlier run. One that begins last would keep one
 * worker busy while the others have nothing left.
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
