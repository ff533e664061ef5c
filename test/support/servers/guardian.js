/**
 * Runs one server process on behalf of a test run and outlives it just long enough to clean up: when the channel to the
 * parent closes for any reason, the server is killed and the folder given as the argument is removed.
 *
 * Parent to guardian: `{ type: 'start', command, arguments, ready }`, `{ type: 'signal', signal }` and `{ type:
 * 'freeze' }`. Guardian to parent: `{ type: 'ready' }`, `{ type: 'exited', code, signal, output }` and `{ type:
 * 'frozen' }`.
 */
const { spawn } = require('node:child_process');
const { rmSync } = require('node:fs');

const folder = process.argv[2];
const keptOutput = 8192;
let server;
let ending = false;

function report(message) {
  // The parent may have exited since; then the clean-up that follows matters, not this message.
  if (process.connected) process.send(message, () => undefined);
}

function start({ command, arguments: argumentsOfCommand, ready }) {
  const readyPattern = new RegExp(ready);
  let output = '';
  let isReady = false;
  let isFinished = false;
  const collect = (chunk) => {
    output = (output + chunk).slice(-keptOutput);
    if (!isReady && readyPattern.test(output)) {
      isReady = true;
      report({ type: 'ready' });
    }
  };
  const finish = (code, signal) => {
    if (isFinished) return;
    isFinished = true;
    server = undefined;
    if (ending) removeAndLeave();
    else report({ type: 'exited', code, signal, output });
  };
  const started = spawn(command, argumentsOfCommand, { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  server = started;
  started.stdout.on('data', collect);
  started.stderr.on('data', collect);
  started.on('error', (error) => {
    output += error.message;
    if (started.pid === undefined) finish(null, null);
  });
  started.on('close', finish);
}

function removeAndLeave() {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

function end() {
  if (ending) return;
  ending = true;
  // The whole process group, because an installation script has its own children.
  if (server?.pid) process.kill(-server.pid, 'SIGKILL');
  else removeAndLeave();
}

process.on('message', (message) => {
  if (message.type === 'start') {
    start(message);
  } else if (message.type === 'freeze') {
    server?.kill('SIGSTOP');
    report({ type: 'frozen' });
  } else {
    server?.kill(message.signal);
  }
});
process.on('disconnect', end);
process.on('uncaughtException', end);
process.on('SIGTERM', end);
process.on('SIGINT', end);
