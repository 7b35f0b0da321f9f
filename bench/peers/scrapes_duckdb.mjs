// SPDX-License-Identifier: Apache-2.0
// Runs scrapes.sql over readings as CSV: node scrapes_duckdb.mjs FILE [THREADS]. Prints "name<TAB>value" lines.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads = '2'] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const sql = readFileSync(new URL('scrapes.sql', import.meta.url), 'utf8').replaceAll('$FILE', file.replaceAll("'", "''"));
const result = await connection.run(sql);
for (const [name, value] of await result.getRows())
	console.log(`${name}\t${value}`);
