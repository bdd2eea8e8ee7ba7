// client.js - what the recipes of foldstack-scale(7) call, on engines from npm.
//
// usage: node client.js duckdb DATABASE SQL
//	  node client.js clickhouse-local|clickhouse-client OPTION...
//
// Of ClickHouse's options: --param_NAME=VALUE, --query=SQL,
// --queries-file=FILE.  The database of clickhouse-client is the folder
// $CLICKHOUSE.
'use strict';

const fs = require('fs');

async function duckdb(database, sql) {
	const { DuckDBInstance } = require('@duckdb/node-api');
	const instance = await DuckDBInstance.create(database);
	const connection = await instance.connect();

	await connection.run(sql);
	connection.closeSync();
	instance.closeSync();
}

// Names and values of options, "--name=value" or "--name value".
function readOptions(args) {
	const options = {};

	while (args.length > 0) {
		const [, name, value] = /^--(\w[\w-]*)(?:=(.*))?$/s.exec(args.shift());

		options[name] = value ?? args.shift();
	}
	return options;
}

// In the engine itself the table of an INSERT is a file, not the client's
// input, and the format of results is not part of a query.
function forEngine(statement) {
	return statement
		.replace(/input\((.*?)\)/, "file('/dev/stdin', TSVRaw, $1)")
		.replace(/FORMAT TSVRaw\s*$/, '');
}

function clickhouse(database, args) {
	const { Session } = require('chdb');
	const session = new Session(database);
	const options = readOptions(args);
	const script = options.query ??
		fs.readFileSync(options['queries-file'], 'utf8');
	const params = {};

	for (const name in options)
		if (name.startsWith('param_'))
			params[name.slice('param_'.length)] = options[name];
	for (const statement of script.trim().split(/;\n/))
		process.stdout.write(
			session.queryBind(forEngine(statement), params, 'TSVRaw'));
	session.close();
}

async function main(command, ...args) {
	if (command === 'duckdb')
		await duckdb(...args);
	else if (command === 'clickhouse-client')
		clickhouse(process.env.CLICKHOUSE, args);
	else
		clickhouse(undefined, args);
}

main(...process.argv.slice(2)).catch((e) => {
	console.error(String(e));
	process.exit(1);
});
