const path = require('node:path');
const { endToEndProject, mysqlProject, shared, unitProject } = require('./projects.js');

if (!process.version.startsWith('v24.')) {
  throw new Error(`This is the run on Node 24, not on ${process.version}: npm run test:node24`);
}

// The service is started many times, and loads 2,800 modules: since Node 22 it can keep what V8 makes of them.
process.env.NODE_COMPILE_CACHE ??= path.resolve(__dirname, '../../node_modules/.cache/compiled');

/** Named apart from the run on the oldest Node, so that both are counted. */
const onNode24 = (project) => ({ ...project, displayName: `${project.displayName}-node24` });

const projects = [unitProject(), endToEndProject('sqlite')].map(onNode24);

/** `.ci/run` tests MySQL in the same run: workers that have loaded the service serve all projects. */
if (process.env.TEST_MYSQL) projects.push(mysqlProject());

module.exports = { ...shared, projects };
