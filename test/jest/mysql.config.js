const { serverProject, shared } = require('./projects.js');

module.exports = { ...shared, projects: [serverProject('mysql', true)] };
