'use strict';

const BUILT_IN = { steps: [{ text: 'Hello' }, { text: ' from' }, { text: ' the' }, { text: ' model' }, { text: '.' }] };

/** Selects the script of a request, and holds the gates of running ones. */
class Scripts {
  constructor() {
    this.fallback = BUILT_IN;
    this.reset();
  }

  reset() {
    this.keyed = [];
    this.queue = [];
    this.released = new Set();
    this.standing = new Map();
  }

  /** A script with a key answers `times` requests (default: all); one without a key answers exactly the next ones. */
  add(script) {
    const remaining = script.times ?? (script.key === undefined ? 1 : Infinity);
    (script.key === undefined ? this.queue : this.keyed).push({ script, remaining });
  }

  setDefault(script) {
    this.fallback = script ?? BUILT_IN;
  }

  take(key) {
    const entry = this.keyed.find((each) => each.remaining > 0 && key.includes(each.script.key));
    const chosen = entry ?? this.queue.find((each) => each.remaining > 0);
    if (chosen === undefined) {
      return this.fallback;
    }
    chosen.remaining--;
    return chosen.script;
  }

  /** Calls back when the gate is open. */
  pass(gate, goOn) {
    if (this.released.has(gate)) {
      goOn();
    } else {
      this.standing.set(gate, [...(this.standing.get(gate) ?? []), goOn]);
    }
  }

  release(gate) {
    this.released.add(gate);
    for (const goOn of this.standing.get(gate) ?? []) {
      goOn();
    }
    this.standing.delete(gate);
  }
}

module.exports = { Scripts };
