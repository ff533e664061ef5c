/**
 * The built service with tools whose effects are at `EFFECTS_URL`. It is a separate program, so that it can be killed.
 * The tools differ in their declared properties.
 */
const path = require('node:path');
// A path that the compiler cannot follow. Otherwise it would check the types of the whole built service again.
const { AgentTool, endWithReason, Feature, startService, ToolError } = require(
  path.resolve(__dirname, '../../../dist'),
);
const v = require('valibot');

const KINDS = { book: {}, book_asking: {}, note: { idempotent: true }, look: { readOnly: true } };

class EffectTools {}

for (const [name, kind] of Object.entries(KINDS)) {
  EffectTools.prototype[name] = async ({ what, how }, { idempotencyKey: key, signal }) => {
    const body = JSON.stringify({ tool: name, what, how, key });
    const answer = await fetch(process.env.EFFECTS_URL, { method: 'POST', body, signal });
    if (answer.status === 409) {
      throw new ToolError(`No room for ${what}.`);
    }
    return (await answer.json()).receipt;
  };
  const input = v.object({ what: v.string(), how: v.string() });
  const options = { name, description: name, input, timeoutSeconds: 1, ...kind };
  AgentTool(options)(EffectTools.prototype, name, Object.getOwnPropertyDescriptor(EffectTools.prototype, name));
}

class EffectModule {}
Feature({ providers: [EffectTools] })(EffectModule);

startService({ features: [EffectModule] }).catch(endWithReason);
