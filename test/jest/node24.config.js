const { endToEndProject, shared, unitProject } = require('./projects.js');

if (!process.version.startsWith('v24.')) {
  throw new Error(`This is the run on Node 24, not on ${process.version}: npm run test:node24`);
}

/** Named apart from the run on the oldest Node, so that both are counted. */
const onNode24 = (project) => ({ ...project, displayName: `${project.displayName}-node24` });

module.exports = {
  ...shared,
  projects: [unitProject(), endToEndProject('sqlite')].map(onNode24),
};
