// Soul over a SQLite database of this folder, with the table `users`.
// usage: node app.cjs FOLDER-OF-MODULES FILE-WITH-ROWS
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const [, , modules, file] = process.argv;
const load = createRequire(`${modules}/`);
const Database = load('better-sqlite3');

const database = new Database('users.sqlite');
database.exec(
  'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, age INTEGER, team INTEGER NOT NULL)',
);
const insert = database.prepare('INSERT INTO users VALUES (:id, :name, :email, :age, :team)');
for (const row of JSON.parse(readFileSync(file, 'utf8'))) insert.run(row);
database.close();

process.argv.splice(2, 2, '--database', 'users.sqlite');
load('soul-cli/src/server.js');
