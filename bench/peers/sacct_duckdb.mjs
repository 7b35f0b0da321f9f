// SPDX-License-Identifier: Apache-2.0
// Runs sacct.sql over a dump: node sacct_duckdb.mjs FILE [THREADS]. Prints "name<TAB>value" lines.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads = '2'] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const sql = readFileSync(new URL('sacct.sql', import.meta.url), 'utf8').replaceAll('$FILE', file.replaceAll("'", "''"));
const statements = await connection.extractStatements(sql);
for (let i = 0; i < statements.count; i++) {
	const prepared = await statements.prepare(i);
	const result = await prepared.run();
	if (i === statements.count - 1)
		for (const [name, value] of await result.getRows())
			console.log(`${name}\t${value}`);
}
