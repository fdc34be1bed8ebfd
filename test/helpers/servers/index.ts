export { djangoVersion, startDjango } from './django.js';
export { jsonServerVersion, POSTS, startJsonServer } from './json-server.js';
export { POWERDNS_KEY, powerDnsVersion, startPowerDns, ZONES } from './powerdns.js';
export { railsVersion, startRails } from './rails.js';
export { type RealServer, START_TIMEOUT } from './real-server.js';
export { type Exchange, recordingFetch } from './recording.js';
export { ISSUES, type IssueRow, REDMINE_KEY, redmineVersion, startRedmine } from './redmine.js';
export { ITEMS, sapCapVersion, startSapCap } from './sap-cap.js';
export { TEAMS, USERS, type UserRow } from './seed.js';
