const { endToEndProject, shared } = require('./projects.js');

module.exports = { ...shared, projects: [endToEndProject('mysql')] };
