const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take fifteen seconds and more, the longest first. */
const slowFiles = [
  'console-admin-states',
  'console-pages',
  'schema',
  'console-states',
  'client-replies',
  'database-away',
  'module-from-outside',
  'webhook-schedule',
  'reply-instances',
  'openapi-rules',
  'console-refusals',
  'console-many-chats',
  'console-restart',
  'chat-regenerating',
  'openai-responses-join',
  'api-key-revocation',
];

/**
 * Jest's own order, but slow files first also where it has no times of an earlier run. One that begins last would keep one
 * worker busy while the others have nothing left.
 */
module.exports = class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    const place = ({ path: file }) => {
      const at = slowFiles.indexOf(path.basename(file).split('.')[0]);
      return at < 0 ? slowFiles.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
